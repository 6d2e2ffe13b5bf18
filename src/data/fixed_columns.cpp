#include <fmt/format.h>

#include <algorithm>

#include "data/encoding.hpp"

namespace nomu::encoding {

FeatureColumn classify_fixed_column(const Table& table, const std::string& name, std::span<const std::size_t> rows,
                                    const DatasetOptions& options) {
  const Column& column = column_of(table, name);
  const bool categorical = contains(options.categorical, name);
  FeatureColumn feature{.name = name, .levels = {}};
  std::optional<std::size_t> first_text;
  std::size_t numbers = 0;
  for (const std::size_t i : rows) {
    const CellKind kind = read_cell(column[i]).kind;
    if (kind == CellKind::number && !categorical) {
      ++numbers;
      continue;
    }
    if (kind == CellKind::infinite && !categorical)
      fail_at(table, i, name, fmt::format("'{}' is not a finite number", column[i]));
    if (!categorical && has_decimal_comma(column[i])) {
      fail_at(table, i, name,
              fmt::format("'{}' looks like a number with a decimal comma; use a decimal point, or list the column as "
                          "categorical if these are names",
                          column[i]));
    }
    if (!first_text) first_text = i;
    const auto at = std::ranges::lower_bound(feature.levels, column[i]);
    if (at == feature.levels.end() || *at != column[i]) feature.levels.emplace(at, column[i]);
    if (feature.levels.size() > options.max_levels && numbers == 0) {
      fail_at(table, i, name,
              fmt::format("'{}' is distinct name number {} of this column, and at most {} can become inputs; group the "
                          "names or leave the column out",
                          column[i], feature.levels.size(), options.max_levels));
    }
  }
  if (first_text && numbers > 0) {
    fail_at(table, *first_text, name,
            fmt::format("'{}' is not a number, but {} of {} cells of this column are; correct it, or list the column "
                        "as categorical",
                        column[*first_text], numbers, rows.size()));
  }
  if (!feature.levels.empty()) feature.kind = ColumnKind::names;
  return feature;
}

}  // namespace nomu::encoding
