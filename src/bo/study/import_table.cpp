// Results from a table.

#include <fmt/format.h>

#include "nomu/bo/trial_io.hpp"
#include "nomu/core/error.hpp"

namespace nomu {

std::vector<TrialResult> results_from_table(const Space& space, const Table& table, std::string_view value_column) {
  std::vector<std::size_t> columns;
  for (const Variable& variable : space.variables()) {
    if (variable.name == value_column) {
      throw DataError("bo/study",
                      fmt::format("column '{}' is a variable of the space; name another one for the value (--value, "
                                  "value= in Python)",
                                  value_column));
    }
    columns.push_back(column_index(table, variable.name));
  }
  const std::size_t values = column_index(table, value_column);
  std::vector<TrialResult> results;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const CellValue value = read_cell(table.columns()[values][i]);
    if (value.kind == CellKind::missing) continue;
    const auto refuse = [&](std::string_view column, std::string_view message) {
      throw DataError("bo/study", fmt::format("{}: {}", cell_location(table, i, column), message));
    };
    if (value.kind != CellKind::number) refuse(value_column, "a result must be a finite number");
    TrialResult result{.value = value.number, .label = fmt::format("row {}", table.line(i))};
    for (std::size_t j = 0; j < columns.size(); ++j) {
      try {
        result.point.push_back(space.parse(j, table.columns()[columns[j]][i]));
      } catch (const DataError& error) {
        refuse(space.variables()[j].name, error.message());
      }
    }
    try {
      space.check(result.point);
    } catch (const DataError& error) {
      throw DataError("bo/study", fmt::format("{}, row {}: {}", table.source(), table.line(i), error.message()));
    }
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace nomu
