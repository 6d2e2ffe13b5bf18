#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "core/crc64.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/file.hpp"
#include "nomu/data/table_io.hpp"
#include "paper/results/gzip.hpp"
#include "paper/results/store.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "paper/store";
constexpr std::array status_names = {"ok", "diverged", "degenerate"};

/// The columns every file of rows has; all others are values.
constexpr std::array fixed_columns = {"study", "method",    "problem",         "seed",     "status", "spec",
                                      "data",  "precision", "results_version", "revision", "engine", "provider",
                                      "isa",   "seconds"};

bool is_fixed(const std::string& name) {
  return std::ranges::find(fixed_columns, std::string_view(name)) != fixed_columns.end();
}

/// Names of values in order of first appearance.
std::vector<std::string> value_names(std::span<const ResultRow> rows) {
  std::vector<std::string> names;
  for (const ResultRow& row : rows) {
    for (const auto& [name, value] : row.values) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

template <class Cell>
void add_texts(Table& table, const std::string& name, std::span<const ResultRow> rows, const Cell& cell) {
  std::vector<std::string> cells;
  cells.reserve(rows.size());
  for (const ResultRow& row : rows) cells.push_back(cell(row));
  table.add_column(name, cells);
}

template <class Integer>
Integer whole_number(const Table& table, std::size_t row, std::string_view column, std::string_view cell) {
  Integer value{};
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc{} || end != cell.data() + cell.size()) {
    throw DataError(where, fmt::format("{}: '{}' is not a whole number", cell_location(table, row, column), cell));
  }
  return value;
}

RunStatus status_of(const Table& table, std::size_t row, std::string_view cell) {
  const auto found = std::ranges::find(status_names, cell);
  if (found == status_names.end()) {
    throw DataError(where, fmt::format("{}: '{}' is not one of ok, diverged, degenerate",
                                       cell_location(table, row, "status"), cell));
  }
  return static_cast<RunStatus>(found - status_names.begin());
}

double number_or_nan(const Table& table, std::size_t row, const Column& column) {
  const CellValue value = read_cell(column[row]);
  if (value.kind == CellKind::number) return value.number;
  if (value.kind == CellKind::missing) return std::numeric_limits<double>::quiet_NaN();
  throw DataError(where,
                  fmt::format("{}: '{}' is not a number", cell_location(table, row, column.name()), column[row]));
}

}  // namespace

std::string digest(std::string_view text) { return fmt::format("{:016x}", crc64(text)); }

double ResultRow::value(std::string_view name) const {
  for (const auto& [key_name, number] : values) {
    if (key_name == name) return number;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

std::string format_rows(std::span<const ResultRow> rows) {
  Table table("rows");
  add_texts(table, "study", rows, [](const ResultRow& r) { return r.experiment; });
  add_texts(table, "method", rows, [](const ResultRow& r) { return r.method; });
  add_texts(table, "problem", rows, [](const ResultRow& r) { return r.problem; });
  add_texts(table, "seed", rows, [](const ResultRow& r) { return fmt::format("{}", r.key.seed); });
  add_texts(table, "status", rows,
            [](const ResultRow& r) { return std::string(status_names.at(static_cast<std::size_t>(r.status))); });
  for (const std::string& name : value_names(rows)) {
    std::vector<double> numbers;
    for (const ResultRow& row : rows) numbers.push_back(row.value(name));
    table.add_column(name, numbers);
  }
  add_texts(table, "spec", rows, [](const ResultRow& r) { return r.key.spec; });
  add_texts(table, "data", rows, [](const ResultRow& r) { return r.key.data; });
  add_texts(table, "precision", rows, [](const ResultRow& r) { return r.key.precision; });
  add_texts(table, "results_version", rows,
            [](const ResultRow& r) { return fmt::format("{}", r.key.results_version); });
  add_texts(table, "revision", rows, [](const ResultRow& r) { return r.provenance.revision; });
  add_texts(table, "engine", rows, [](const ResultRow& r) { return r.provenance.engine; });
  add_texts(table, "provider", rows, [](const ResultRow& r) { return r.provenance.provider; });
  add_texts(table, "isa", rows, [](const ResultRow& r) { return r.provenance.isa; });
  // Hundredths of a second are enough and compress better.
  add_texts(table, "seconds", rows, [](const ResultRow& r) { return fmt::format("{:.2f}", r.seconds); });
  return format_table(table);
}

std::vector<ResultRow> parse_rows(std::string_view text, const std::string& name) {
  const Table table = parse_table(text, name, {.delimiter = ','});
  const auto column = [&](std::string_view key) -> const Column& { return table.columns()[column_index(table, key)]; };
  std::vector<ResultRow> rows(table.rows());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto cell = [&](std::string_view key) { return std::string(column(key)[i]); };
    ResultRow& row = rows[i];
    row.experiment = cell("study");
    row.method = cell("method");
    row.problem = cell("problem");
    row.status = status_of(table, i, column("status")[i]);
    row.key = {
        .spec = cell("spec"),
        .data = cell("data"),
        .seed = whole_number<std::uint64_t>(table, i, "seed", column("seed")[i]),
        .precision = cell("precision"),
        .results_version = whole_number<std::int64_t>(table, i, "results_version", column("results_version")[i])};
    row.provenance = {
        .revision = cell("revision"), .engine = cell("engine"), .provider = cell("provider"), .isa = cell("isa")};
    row.seconds = number_or_nan(table, i, column("seconds"));
    for (const Column& values : table.columns()) {
      if (!is_fixed(values.name())) row.values.emplace_back(values.name(), number_or_nan(table, i, values));
    }
  }
  return rows;
}

void write_rows(const std::filesystem::path& path, std::span<const ResultRow> rows) {
  const std::string text = format_rows(rows);
  write_file_atomically(path, path.extension() == ".gz" ? gzip(text) : text);
}

std::vector<ResultRow> read_rows(const std::filesystem::path& path) {
  const std::string bytes = read_file(path);
  return parse_rows(path.extension() == ".gz" ? gunzip(bytes, path.string()) : bytes, path.string());
}

}  // namespace nomu
