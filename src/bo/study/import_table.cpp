// Results from a table.

#include <fmt/format.h>

#include "bo/study/trial_columns.hpp"
#include "nomu/bo/trial_io.hpp"
#include "nomu/core/error.hpp"

namespace nomu {

namespace {

/// That of a table of trials, where its costs would be lost otherwise; empty if there is none.
std::string cost_column_of(const Space& space, const Table& table) {
  const auto own = [&](const char* name) { return own_column(space, name); };
  const bool made_here = table.has_column(own("trial")) && table.has_column(own("state"));
  return made_here && table.has_column(own("cost")) ? own("cost") : std::string();
}

}  // namespace

std::vector<TrialResult> results_from_table(const Space& space, const Table& table, std::string_view value_column,
                                            std::string_view cost_column) {
  const std::string own_value = own_column(space, std::string(value_column));
  if (table.has_column(own_value)) value_column = own_value;
  const std::string own_cost = cost_column_of(space, table);
  if (cost_column.empty()) cost_column = own_cost;
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
    const CellValue found = read_cell(table.columns()[values][i]);
    if (found.kind == CellKind::missing) continue;
    const auto refuse = [&](std::string_view column, std::string_view message) {
      throw DataError("bo/study", fmt::format("{}: {}", cell_location(table, i, column), message));
    };
    if (found.kind != CellKind::number) {
      refuse(value_column, fmt::format("a result must be a finite number, got '{}'; leave the cell empty for a trial "
                                       "without one",
                                       table.columns()[values][i]));
    }
    TrialResult result{.value = found.number, .label = fmt::format("row {}", table.line(i))};
    const CellValue paid = read_cell(table.columns()[costs][i]);
    if (has_costs && paid.kind != CellKind::missing) {
      if (paid.kind != CellKind::number || paid.number <= 0.0) {
        refuse(cost_column, fmt::format("a cost must be a number above 0, got '{}'; leave the cell empty where it is "
                                        "not known",
                                        table.columns()[costs][i]));
      }
      result.cost = paid.number;
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
