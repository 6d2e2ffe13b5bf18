#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "data/constant_columns.hpp"
#include "data/did_you_mean.hpp"
#include "data/encoding.hpp"
#include "nomu/core/error.hpp"
#include "nomu/data/dataset.hpp"

namespace nomu {
namespace {

using namespace encoding;

constexpr std::string_view where = "data/dataset";

/// "3, 7, 8 and 12 more": enough to find the rows without flooding the message.
std::string line_list(std::span<const std::size_t> lines) {
  constexpr std::size_t limit = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(limit, lines.size()); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", lines[i]);
  if (lines.size() > limit) text += fmt::format(" and {} more", lines.size() - limit);
  return text;
}

/// Columns that describe the rows without being inputs.
std::vector<std::string> row_info_columns(const DatasetOptions& options) {
  std::vector<std::string> names;
  for (const std::string& name : {options.weight, options.noise, options.group, options.time}) {
    if (!name.empty()) names.push_back(name);
  }
  return names;
}

std::vector<std::string> feature_names(const Table& table, const DatasetOptions& options) {
  if (options.target.empty()) {
    throw DataError(
        where, fmt::format("{}: no target column given (columns: {})", table.source(), quoted_list(table.names())));
  }
  (void)column_index(table, options.target);
  for (const std::string& name : options.ignore) (void)column_index(table, name);
  const std::vector<std::string> row_info = row_info_columns(options);
  for (const std::string& name : row_info) {
    if (name != options.target && std::ranges::count(row_info, name) == 1) continue;
    throw DataError(
        where, fmt::format("{}: column '{}' {}", table.source(), name,
                           name == options.target
                               ? "is the target and cannot also be weight, noise, group or time"
                               : "is given for more than one of weight, noise, group and time; use different columns"));
  }
  if (contains(options.ignore, options.target)) {
    throw DataError(where,
                    fmt::format("{}: column '{}' is the target and cannot be ignored", table.source(), options.target));
  }
  std::vector<std::string> names;
  for (const std::string& name : options.features) {
    (void)column_index(table, name);
    if (name == options.target) {
      throw DataError(where,
                      fmt::format("{}: column '{}' is the target and cannot also be an input", table.source(), name));
    }
    if (contains(options.ignore, name))
      throw DataError(where, fmt::format("{}: column '{}' is listed both as an input and as ignored; remove one",
                                         table.source(), name));
    if (contains(names, name))
      throw DataError(where, fmt::format("{}: input column '{}' is listed twice", table.source(), name));
    names.push_back(name);
  }
  if (options.features.empty()) {
    for (const Column& column : table.columns()) {
      const std::string& name = column.name();
      const bool has_other_role = name == options.target || contains(row_info, name);
      if (!has_other_role && !contains(options.ignore, name)) names.push_back(name);
    }
  }
  if (names.empty()) {
    throw DataError(
        where, fmt::format("{}: no input columns are left apart from the target '{}'", table.source(), options.target));
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
std::vector<std::size_t> find_complete_rows(const Table& table, std::span<const std::string> names,
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
            fmt::format("the value is missing, as in {} of {} rows (rows {}); fill them in, or choose to drop rows "
                        "with missing values",
                        report.dropped_lines.size(), table.rows(), line_list(report.dropped_lines)));
  }
  return rows;
}

void name_inputs(DataSet& data) {
  for (const FeatureColumn& feature : data.features) {
    for (std::string& name : input_names(feature)) data.input_names.push_back(std::move(name));
  }
}

void check_target(const Table& table, const DataSet& data) {
  const auto differs = [&](double y) { return y != data.targets.front(); };
  if (std::ranges::any_of(data.targets, differs)) return;
  throw DataError(where, fmt::format("{}, column '{}': the target is {} in all {} rows; there is nothing to learn",
                                     table.source(), data.target_name, data.targets.front(), data.rows()));
}

/// The rows without missing cells. Throws DataError when there are too few.
std::vector<std::size_t> usable_rows(const Table& table, std::span<const std::string> inputs,
                                     const DatasetOptions& options, DatasetReport& report) {
  std::vector<std::string> used(inputs.begin(), inputs.end());
  used.push_back(options.target);
  for (std::string& name : row_info_columns(options)) used.push_back(std::move(name));
  std::vector<std::size_t> rows = find_complete_rows(table, used, options, report);
  if (rows.size() < std::max<std::size_t>(1, options.min_rows)) {
    throw DataError(
        where, fmt::format("{}: {} rows{}, but at least {} are needed", table.source(), rows.size(),
                           report.dropped_lines.empty() ? std::string{}
                                                        : fmt::format(" are left after dropping {} with missing values",
                                                                      report.dropped_lines.size()),
                           options.min_rows));
  }
  return rows;
}

/// Fills everything but the inputs.
void fill_targets_and_row_info(const Table& table, std::span<const std::size_t> rows, const DatasetOptions& options,
                               DataSet& data) {
  data.target_name = options.target;
  data.noise_name = options.noise;
  data.targets = numbers_of(table, options.target, rows, "the target");
  if (!options.weight.empty()) data.row_weight = nonnegative_numbers_of(table, options.weight, rows, "a weight");
  if (!options.noise.empty()) data.noise = nonnegative_numbers_of(table, options.noise, rows, "a noise level");
  if (!options.time.empty()) data.times = times_of(table, options.time, rows);
  if (options.group.empty()) return;
  const Column& groups = column_of(table, options.group);
  for (const std::size_t i : rows) data.groups.emplace_back(groups[i]);
}

/// Fills the inputs, encoded as in data.features.
void fill_inputs(const Table& table, std::span<const std::size_t> rows, DataSet& data) {
  name_inputs(data);
  data.inputs = encode_rows(table, data.features, rows);
  list_constant_columns(data);
  check_dataset(data);
}

}  // namespace

DataSet make_dataset(const Table& table, const DatasetOptions& options) {
  DataSet data;
  const std::vector<std::string> inputs = feature_names(table, options);
  const std::vector<std::size_t> rows = usable_rows(table, inputs, options, data.report);
  fill_targets_and_row_info(table, rows, options, data);
  check_target(table, data);
  for (const std::string& name : inputs) data.features.push_back(classify_column(table, name, rows, options));
  fill_inputs(table, rows, data);
  return data;
}

DataSet make_dataset(const Table& table, std::span<const FeatureColumn> features, const DatasetOptions& options) {
  DataSet data;
  std::vector<std::string> inputs;
  for (const FeatureColumn& feature : features) inputs.push_back(feature.name);
  const std::vector<std::size_t> rows = usable_rows(table, inputs, options, data.report);
  fill_targets_and_row_info(table, rows, options, data);
  data.features.assign(features.begin(), features.end());
  fill_inputs(table, rows, data);
  return data;
}

DataSet read_dataset(const std::filesystem::path& path, const DatasetOptions& options) {
  return make_dataset(read_table(path), options);
}

Table complete_rows(const Table& table, std::span<const std::string> columns) {
  DatasetReport report;
  const std::vector<std::size_t> rows = find_complete_rows(table, columns, {.drop_missing = true}, report);
  std::vector<Column> kept;
  for (const Column& column : table.columns()) {
    kept.emplace_back(column.name());
    for (const std::size_t i : rows) kept.back().push_back(column[i]);
  }
  std::vector<std::size_t> lines;
  lines.reserve(rows.size());
  for (const std::size_t i : rows) lines.push_back(table.line(i));
  return {table.source(), std::move(kept), std::move(lines)};
}

std::vector<double> encode_inputs(const Table& table, std::span<const FeatureColumn> features) {
  std::vector<std::size_t> rows(table.rows());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
  std::vector<std::string> names;
  for (const FeatureColumn& feature : features) names.push_back(feature.name);
  DatasetReport missing;
  (void)find_complete_rows(table, names, DatasetOptions{}, missing);
  return encode_rows(table, features, rows);
}

}  // namespace nomu
