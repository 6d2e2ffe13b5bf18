#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "nomu/core/error.hpp"
#include "nomu/data/table_io.hpp"
#include "paper/tables/tables.hpp"

namespace nomu {
namespace {

/// Empty for a missing cell.
std::optional<double> number(const Table& table, const char* column, std::size_t row) {
  const std::string_view cell = table.columns()[column_index(table, column)][row];
  const CellValue value = read_cell(cell);
  if (value.kind == CellKind::missing) return std::nullopt;
  if (value.kind != CellKind::number) {
    throw DataError("paper/tables", fmt::format("{}: '{}' is not a number", cell_location(table, row, column), cell));
  }
  return value.number;
}

}  // namespace

std::vector<ExpectedCell> read_expected(const std::filesystem::path& file) {
  const Table table = read_table(file, {.delimiter = ','});
  const auto text = [&](const char* column, std::size_t row) {
    return std::string(table.columns()[column_index(table, column)][row]);
  };
  std::vector<ExpectedCell> cells;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    ExpectedCell cell{.problem = text("problem", i), .method = text("method", i), .metric = text("metric", i)};
    const std::optional<double> value = number(table, "value", i);
    if (!value) throw DataError("paper/tables", cell_location(table, i, "value") + ": the number is missing");
    cell.value = *value;
    const std::optional<double> lower = number(table, "lower", i);
    const std::optional<double> upper = number(table, "upper", i);
    if (lower && upper) cell.interval = Interval{.lower = *lower, .upper = *upper};
    if (const std::optional<double> rank = number(table, "rank", i)) cell.rank = std::lround(*rank);
    cells.push_back(std::move(cell));
  }
  return cells;
}

}  // namespace nomu
