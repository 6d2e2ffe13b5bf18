// Results from a table.

#include <fmt/format.h>

#include "nomu/bo/trial_io.hpp"
#include "nomu/core/error.hpp"

namespace nomu {

std::vector<TrialResult> results_from_table(const Space& space, const Table& table, std::string_view value_column,
                                            std::string_view cost_column) {
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
  const bool has_costs = !cost_column.empty();
  const std::size_t costs = has_costs ? column_index(table, cost_column) : values;
  std::vector<TrialResult> results;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const CellValue value = read_cell(table.columns()[values][i]);
    if (value.kind == CellKind::missing) continue;
    const auto refuse = [&](std::string_view column, std::string_view message) {
      throw DataError("bo/study", fmt::format("{}: {}", cell_location(table, i, column), message));
    };
    if (value.kind != CellKind::number) refuse(value_column, "a result must be a finite number");
    TrialResult result{.value = value.number, .label = fmt::format("row {}", table.line(i))};
    const CellValue cost = read_cell(table.columns()[costs][i]);
    if (has_costs && cost.kind != CellKind::missing) {
      if (cost.kind != CellKind::number || cost.number <= 0.0) refuse(cost_column, "a cost must be a number above 0");
      result.cost = cost.number;
    }
    std::vector<std::optional<double>> cells(columns.size());
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const std::string_view cell = table.columns()[columns[j]][i];
      const bool may_be_empty = !space.variables()[j].when.empty();
      if (may_be_empty && read_cell(cell).kind == CellKind::missing) continue;
      try {
        cells[j] = space.parse(j, cell);
      } catch (const DataError& error) {
        refuse(space.variables()[j].name, error.message());
      }
    }
    try {
      result.point = space.complete(cells);
    } catch (const DataError& error) {
      throw DataError("bo/study", fmt::format("{}, row {}: {}", table.source(), table.line(i), error.message()));
    }
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace nomu
