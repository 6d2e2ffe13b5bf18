#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "data/did_you_mean.hpp"
#include "nomu/core/error.hpp"
#include "nomu/data/dataset.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "data/dataset";

const Column& column_of(const Table& table, std::string_view name) {
  return table.columns()[column_index(table, name)];
}

bool contains(std::span<const std::string> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

[[noreturn]] void fail_at(const Table& table, std::size_t row, std::string_view column, std::string_view message) {
  throw DataError(where, fmt::format("{}: {}", cell_location(table, row, column), message));
}

/// "3, 7, 8 and 12 more": enough to find the rows without flooding the message.
std::string line_list(std::span<const std::size_t> lines) {
  constexpr std::size_t limit = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(limit, lines.size()); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", lines[i]);
  if (lines.size() > limit) text += fmt::format(" and {} more", lines.size() - limit);
  return text;
}

std::vector<std::string> feature_names(const Table& table, const DatasetOptions& options) {
  if (options.target.empty()) {
    throw DataError(
        where, fmt::format("{}: no target column given (columns: {})", table.source(), quoted_list(table.names())));
  }
  (void)column_index(table, options.target);
  for (const std::string& name : options.ignore) (void)column_index(table, name);
  std::vector<std::string> names;
  for (const std::string& name : options.features) {
    (void)column_index(table, name);
    if (name == options.target) {
      throw DataError(where,
                      fmt::format("{}: column '{}' is the target and cannot be an input too", table.source(), name));
    }
    if (contains(names, name))
      throw DataError(where, fmt::format("{}: input column '{}' is listed twice", table.source(), name));
    names.push_back(name);
  }
  if (options.features.empty()) {
    for (const Column& column : table.columns()) {
      const std::string& name = column.name();
      const bool other_part = name == options.target || name == options.weight || name == options.noise;
      if (!other_part && !contains(options.ignore, name)) names.push_back(name);
    }
  }
  if (names.empty()) {
    throw DataError(
        where, fmt::format("{}: no input columns are left besides the target '{}'", table.source(), options.target));
  }
  for (const std::string& name : options.categorical) {
    if (!contains(names, name)) {
      throw DataError(where, fmt::format("{}: categorical column '{}' is not among the inputs{}", table.source(), name,
                                         did_you_mean(name, names)));
    }
  }
  return names;
}

/// Indices of the rows without a missing cell in `names`; the lines of the others go into the report.
std::vector<std::size_t> complete_rows(const Table& table, std::span<const std::string> names,
                                       const DatasetOptions& options, DatasetReport& report) {
  std::vector<bool> complete(table.rows(), true);
  std::size_t first_row = table.rows();
  std::string_view first_column;
  for (const std::string& name : names) {
    const Column& column = column_of(table, name);
    for (std::size_t i = 0; i < column.size(); ++i) {
      if (read_cell(column[i]).kind != CellKind::missing) continue;
      complete[i] = false;
      if (i < first_row) {
        first_row = i;
        first_column = name;
      }
    }
  }
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (complete[i]) {
      rows.push_back(i);
    } else {
      report.dropped_lines.push_back(table.line(i));
    }
  }
  if (!options.drop_missing && !report.dropped_lines.empty()) {
    fail_at(table, first_row, first_column,
            fmt::format(
                "the value is missing, and {} of {} rows lack one (rows {}); fill them in, or ask to drop rows with "
                "missing values",
                report.dropped_lines.size(), table.rows(), line_list(report.dropped_lines)));
  }
  return rows;
}

/// A numeric column, the missing cells of dropped rows aside.
std::vector<double> numbers_of(const Table& table, std::string_view name, std::span<const std::size_t> rows,
                               std::string_view part) {
  const Column& column = column_of(table, name);
  std::vector<double> numbers;
  numbers.reserve(rows.size());
  for (const std::size_t i : rows) {
    const CellValue value = read_cell(column[i]);
    if (value.kind != CellKind::number) {
      fail_at(table, i, name,
              fmt::format("'{}' is not a {}number; {} must be numeric", column[i],
                          value.kind == CellKind::infinite ? "finite " : "", part));
    }
    numbers.push_back(value.number);
  }
  return numbers;
}

std::vector<double> not_negative(const Table& table, std::string_view name, std::span<const std::size_t> rows,
                                 std::string_view part) {
  std::vector<double> numbers = numbers_of(table, name, rows, part);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (numbers[i] < 0.0)
      fail_at(table, rows[i], name, fmt::format("{} is negative; {} must not be", numbers[i], part));
  }
  return numbers;
}

/// Decides whether a column is numeric; one with both numbers and names is most often a typing error, so it is refused.
FeatureColumn describe(const Table& table, const std::string& name, std::span<const std::size_t> rows,
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
    if (!first_text) first_text = i;
    const auto at = std::ranges::lower_bound(feature.levels, column[i]);
    if (at == feature.levels.end() || *at != column[i]) feature.levels.emplace(at, column[i]);
    if (feature.levels.size() > options.max_levels && numbers == 0) {
      fail_at(table, i, name,
              fmt::format("'{}' is the {}th distinct name of this column; at most {} become inputs, so group "
                          "them or leave the column out",
                          column[i], feature.levels.size(), options.max_levels));
    }
  }
  if (first_text && numbers > 0) {
    fail_at(
        table, *first_text, name,
        fmt::format("'{}' is not a number, while {} of {} cells of this column are; correct it, or list the column as "
                    "categorical",
                    column[*first_text], numbers, rows.size()));
  }
  return feature;
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
              fmt::format("'{}' was not among the names the model was trained on{} (known: {})", cell,
                          did_you_mean(cell, feature.levels), quoted_list(feature.levels, 10)));
    }
    inputs[i * cols + first + static_cast<std::size_t>(at - feature.levels.begin())] = 1.0;
  }
}

std::size_t width(const FeatureColumn& feature) { return std::max<std::size_t>(1, feature.levels.size()); }

std::vector<double> encode_rows(const Table& table, std::span<const FeatureColumn> features,
                                std::span<const std::size_t> rows) {
  std::size_t cols = 0;
  for (const FeatureColumn& feature : features) cols += width(feature);
  std::vector<double> inputs(rows.size() * cols, 0.0);
  std::size_t first = 0;
  for (const FeatureColumn& feature : features) {
    encode_column(table, feature, rows, first, cols, inputs);
    first += width(feature);
  }
  return inputs;
}

void name_inputs(DataSet& data) {
  for (const FeatureColumn& feature : data.features) {
    if (feature.levels.empty()) data.input_names.push_back(feature.name);
    for (const std::string& level : feature.levels) data.input_names.push_back(feature.name + "=" + level);
  }
}

void list_constant_columns(DataSet& data) {
  for (std::size_t j = 0; j < data.cols(); ++j) {
    bool constant = true;
    for (std::size_t i = 1; i < data.rows() && constant; ++i) constant = data.row(i)[j] == data.row(0)[j];
    if (constant) data.report.constant_columns.push_back(data.input_names[j]);
  }
}

void check_target(const Table& table, const DataSet& data) {
  const auto differs = [&](double y) { return y != data.targets.front(); };
  if (std::ranges::any_of(data.targets, differs)) return;
  throw DataError(where, fmt::format("{}, column '{}': the target is {} in all {} rows; there is nothing to learn",
                                     table.source(), data.target_name, data.targets.front(), data.rows()));
}

}  // namespace

DataSet make_dataset(const Table& table, const DatasetOptions& options) {
  DataSet data;
  data.target_name = options.target;
  const std::vector<std::string> inputs = feature_names(table, options);
  std::vector<std::string> used = inputs;
  used.push_back(options.target);
  for (const std::string& name : {options.weight, options.noise}) {
    if (!name.empty()) used.push_back(name);
  }
  const std::vector<std::size_t> rows = complete_rows(table, used, options, data.report);
  if (rows.size() < std::max<std::size_t>(1, options.min_rows)) {
    throw DataError(where, fmt::format("{}: {} rows{}, at least {} are needed", table.source(), rows.size(),
                                       data.report.dropped_lines.empty()
                                           ? std::string{}
                                           : fmt::format(" are left after dropping {} with missing values",
                                                         data.report.dropped_lines.size()),
                                       options.min_rows));
  }
  data.targets = numbers_of(table, options.target, rows, "the target");
  check_target(table, data);
  if (!options.weight.empty()) data.row_weight = not_negative(table, options.weight, rows, "a weight");
  if (!options.noise.empty()) data.noise = not_negative(table, options.noise, rows, "a noise level");
  for (const std::string& name : inputs) data.features.push_back(describe(table, name, rows, options));
  name_inputs(data);
  data.inputs = encode_rows(table, data.features, rows);
  list_constant_columns(data);
  check_dataset(data);
  return data;
}

std::vector<double> encode_inputs(const Table& table, std::span<const FeatureColumn> features) {
  std::vector<std::size_t> rows(table.rows());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
  std::vector<std::string> names;
  for (const FeatureColumn& feature : features) names.push_back(feature.name);
  DatasetReport missing;
  (void)complete_rows(table, names, DatasetOptions{}, missing);
  return encode_rows(table, features, rows);
}

}  // namespace nomu
