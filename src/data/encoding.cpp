#include "data/encoding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "data/did_you_mean.hpp"
#include "nomu/core/error.hpp"

namespace nomu::encoding {
namespace {

/// "2024-05-17", with or without a time after it. Written in one format, such texts sort in the order of time.
bool looks_like_date(std::string_view cell) {
  constexpr std::string_view form = "dddd-dd-dd";
  if (cell.size() < form.size()) return false;
  for (std::size_t i = 0; i < form.size(); ++i) {
    const bool digit = cell[i] >= '0' && cell[i] <= '9';
    if (form[i] == 'd' ? !digit : cell[i] != form[i]) return false;
  }
  return true;
}

void encode_column(const Table& table, const FeatureColumn& feature, std::span<const std::size_t> rows,
                   std::size_t first, std::size_t cols, std::span<double> inputs) {
  if (feature.levels.empty()) {
    const std::vector<double> numbers = numbers_of(table, feature.name, rows, "an input");
    for (std::size_t i = 0; i < rows.size(); ++i) inputs[i * cols + first] = numbers[i];
    return;
  }
  const Column& column = column_of(table, feature.name);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string_view cell = column[rows[i]];
    const auto at = std::ranges::lower_bound(feature.levels, cell);
    if (at == feature.levels.end() || *at != cell) {
      fail_at(table, rows[i], feature.name,
              fmt::format("'{}' is not one of the names the model was trained on{} (known: {})", cell,
                          did_you_mean(cell, feature.levels), quoted_list(feature.levels, 10)));
    }
    inputs[i * cols + first + static_cast<std::size_t>(at - feature.levels.begin())] = 1.0;
  }
}

}  // namespace

bool contains(std::span<const std::string> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

const Column& column_of(const Table& table, std::string_view name) {
  return table.columns()[column_index(table, name)];
}

void fail_at(const Table& table, std::size_t row, std::string_view column, std::string_view message) {
  throw DataError("data/dataset", fmt::format("{}: {}", cell_location(table, row, column), message));
}

std::vector<double> numbers_of(const Table& table, std::string_view name, std::span<const std::size_t> rows,
                               std::string_view role) {
  const Column& column = column_of(table, name);
  std::vector<double> numbers;
  numbers.reserve(rows.size());
  for (const std::size_t i : rows) {
    const CellValue value = read_cell(column[i]);
    if (value.kind != CellKind::number) {
      fail_at(table, i, name,
              fmt::format("'{}' is not a {}number; {} must be numeric", column[i],
                          value.kind == CellKind::infinite ? "finite " : "", role));
    }
    numbers.push_back(value.number);
  }
  return numbers;
}

std::vector<double> nonnegative_numbers_of(const Table& table, std::string_view name, std::span<const std::size_t> rows,
                                           std::string_view role) {
  std::vector<double> numbers = numbers_of(table, name, rows, role);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (numbers[i] < 0.0)
      fail_at(table, rows[i], name, fmt::format("{} is negative; {} must not be", numbers[i], role));
  }
  return numbers;
}

/// "6,229" or "-0,5e3".
bool has_decimal_comma(std::string_view cell) {
  const std::size_t comma = cell.find(',');
  if (comma == std::string_view::npos || comma + 1 == cell.size()) return false;
  std::string pointed(cell);
  pointed[comma] = '.';
  return read_cell(pointed).kind == CellKind::number;
}

FeatureColumn classify_column(const Table& table, const std::string& name, std::span<const std::size_t> rows,
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

std::vector<double> times_of(const Table& table, std::string_view name, std::span<const std::size_t> rows) {
  const Column& column = column_of(table, name);
  const bool dates = std::ranges::any_of(rows, [&](std::size_t i) { return looks_like_date(column[i]); });
  if (!dates) return numbers_of(table, name, rows, "a time");
  std::vector<std::string_view> sorted;
  for (const std::size_t i : rows) {
    if (!looks_like_date(column[i])) {
      fail_at(table, i, name,
              fmt::format("'{}' is not a date like 2024-05-17, but other cells of this column are", column[i]));
    }
    sorted.push_back(column[i]);
  }
  std::ranges::sort(sorted);
  std::vector<double> times;
  for (const std::size_t i : rows) {
    times.push_back(static_cast<double>(std::ranges::lower_bound(sorted, column[i]) - sorted.begin()));
  }
  return times;
}

std::vector<double> encode_rows(const Table& table, std::span<const FeatureColumn> features,
                                std::span<const std::size_t> rows) {
  std::size_t cols = 0;
  for (const FeatureColumn& feature : features) cols += input_count(feature);
  std::vector<double> inputs(rows.size() * cols, 0.0);
  std::size_t first = 0;
  for (const FeatureColumn& feature : features) {
    encode_column(table, feature, rows, first, cols, inputs);
    first += input_count(feature);
  }
  return inputs;
}

}  // namespace nomu::encoding
