#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "data/column_roles.hpp"
#include "data/constant_columns.hpp"
#include "data/encoding.hpp"
#include "data/row_weights.hpp"
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

using IsMissing = std::function<bool(std::string_view cell)>;

/// A column that rows may lack cells of.
struct NeededColumn {
  std::string name;
  IsMissing is_missing = [](std::string_view cell) { return read_cell(cell).kind == CellKind::missing; };
};

struct RowsByCompleteness {
  std::vector<std::size_t> complete;
  std::vector<std::size_t> incomplete;
  std::string first_column;  ///< where the first incomplete row lacks a cell
};

RowsByCompleteness sort_rows(const Table& table, std::span<const std::size_t> rows,
                             std::span<const NeededColumn> needed) {
  RowsByCompleteness sorted;
  std::vector<const NeededColumn*> lacking(table.rows(), nullptr);
  for (const NeededColumn& wanted : needed) {
    const Column& column = column_of(table, wanted.name);
    for (const std::size_t i : rows) {
      if (lacking[i] == nullptr && wanted.is_missing(column[i])) lacking[i] = &wanted;
    }
  }
  for (const std::size_t i : rows) {
    if (lacking[i] != nullptr && sorted.incomplete.empty()) sorted.first_column = lacking[i]->name;
    (lacking[i] == nullptr ? sorted.complete : sorted.incomplete).push_back(i);
  }
  return sorted;
}

std::vector<std::size_t> lines_of(const Table& table, std::span<const std::size_t> rows) {
  std::vector<std::size_t> lines;
  lines.reserve(rows.size());
  for (const std::size_t i : rows) lines.push_back(table.line(i));
  return lines;
}

std::vector<std::size_t> all_rows(const Table& table) {
  std::vector<std::size_t> rows(table.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

/// Leaves out the rows that lack a cell, or refuses them.
std::vector<std::size_t> complete_or_refused(const Table& table, std::span<const std::size_t> rows,
                                             std::span<const NeededColumn> needed, const DatasetOptions& options,
                                             DatasetReport& report) {
  RowsByCompleteness sorted = sort_rows(table, rows, needed);
  if (sorted.incomplete.empty()) return std::move(sorted.complete);
  const std::vector<std::size_t> lines = lines_of(table, sorted.incomplete);
  if (!options.drop_missing) {
    fail_at(table, sorted.incomplete.front(), sorted.first_column,
            fmt::format("the value is missing, as in {} of {} rows (rows {}); fill them in, or drop such rows ({})",
                        lines.size(), table.rows(), line_list(lines), options.words.drop_missing));
  }
  report.dropped_lines.insert(report.dropped_lines.end(), lines.begin(), lines.end());
  std::ranges::sort(report.dropped_lines);
  return std::move(sorted.complete);
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

/// Squares of targets are summed: those of larger numbers are infinite, those of smaller ones 0.
constexpr double largest_target = 1e150;
constexpr double smallest_spread = 1e-150;

void check_target_spread(const Table& table, const DataSet& data) {
  const auto [low, high] = std::ranges::minmax(data.targets);
  if (high - low >= smallest_spread) return;
  throw DataError(where, fmt::format("{}, column '{}': the target goes from {} to {}, too little to compute with; "
                                     "multiply the column, by 1e+150 say",
                                     table.source(), data.target_name, low, high));
}

/// The rows without those of weight 0, whose cells must not decide what a column is. If all are 0, all are kept: the
/// data set is refused later.
std::vector<std::size_t> weighty_rows(const Table& table, std::vector<std::size_t> rows, const DatasetOptions& options,
                                      DatasetReport& report) {
  if (options.weight.empty()) return rows;
  const std::vector<double> weights = nonnegative_numbers_of(table, options.weight, rows, "a weight");
  std::vector<std::size_t> counting;
  for (const std::size_t k : counting_rows(weights)) counting.push_back(rows[k]);
  if (counting.empty() || counting.size() == rows.size()) return rows;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (weights[k] == 0.0) report.weightless_lines.push_back(table.line(rows[k]));
  }
  return counting;
}

/// The rows with a target, a weight and all else that describes a row.
std::vector<std::size_t> labelled_rows(const Table& table, const DatasetOptions& options, DatasetReport& report) {
  const std::vector<NeededColumn> target{{.name = options.target}};
  const RowsByCompleteness sorted = sort_rows(table, all_rows(table), target);
  report.unlabelled_lines = lines_of(table, sorted.incomplete);
  std::vector<NeededColumn> row_info;
  for (const std::string& name : row_info_columns(options)) row_info.push_back({.name = name});
  return weighty_rows(table, complete_or_refused(table, sorted.complete, row_info, options, report), options, report);
}

/// The rows without missing cells in the inputs, if they are to be dropped or there is no other way.
std::vector<std::size_t> without_missing_inputs(const Table& table, std::span<const std::size_t> rows,
                                                std::span<const FeatureColumn> features, const DatasetOptions& options,
                                                DatasetReport& report) {
  std::vector<NeededColumn> needed;
  for (const FeatureColumn& feature : features) {
    const bool accepted =
        feature.kind == ColumnKind::names ? feature.unknown || feature.missing : feature.stand_in.has_value();
    if (accepted && !options.drop_missing) continue;
    needed.push_back({feature.name, [&feature](std::string_view cell) { return is_missing(feature, cell); }});
  }
  return complete_or_refused(table, rows, needed, options, report);
}

void check_row_count(const Table& table, std::size_t rows, const DatasetOptions& options, const DatasetReport& report) {
  if (rows >= std::max<std::size_t>(1, options.min_rows)) return;
  std::string left;
  if (!report.dropped_lines.empty())
    left += fmt::format(" are left after dropping {} with missing values", report.dropped_lines.size());
  if (!report.unlabelled_lines.empty()) {
    left += fmt::format("{} without a target",
                        left.empty() ? fmt::format(" are left after dropping {}", report.unlabelled_lines.size())
                                     : fmt::format(" and {}", report.unlabelled_lines.size()));
  }
  if (!report.weightless_lines.empty())
    left += fmt::format("{} besides {} of weight 0", left.empty() ? "" : ",", report.weightless_lines.size());
  throw DataError(
      where, fmt::format("{}: {} rows{}, but at least {} are needed", table.source(), rows, left, options.min_rows));
}

void check_target_range(const DatasetOptions& options) {
  if (options.range.low < options.range.high) return;
  throw DataError(where, fmt::format("{} must be two numbers, the smaller first, got {} and {}", options.words.range,
                                     options.range.low, options.range.high));
}

void check_range(const Table& table, std::span<const std::size_t> rows, const DatasetOptions& options,
                 const DataSet& data) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (data.range.contains(data.targets[i])) continue;
    fail_at(table, rows[i], options.target,
            fmt::format("{} is not in the range {} to {} of the target ({}); correct it or the range", data.targets[i],
                        data.range.low, data.range.high, options.words.range));
  }
}

void check_target_size(const Table& table, std::span<const std::size_t> rows, const DataSet& data) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (std::abs(data.targets[i]) <= largest_target) continue;
    fail_at(table, rows[i], data.target_name,
            fmt::format("{} is too large to compute with, the limit is {}; divide the column, by {:.0e} say",
                        data.targets[i], largest_target, largest_target));
  }
}

/// Fills everything but the inputs.
void fill_targets_and_row_info(const Table& table, std::span<const std::size_t> rows, const DatasetOptions& options,
                               DataSet& data) {
  data.target_name = options.target;
  data.noise_name = options.noise;
  data.range = options.range;
  data.targets = numbers_of(table, options.target, rows, "the target");
  check_target_size(table, rows, data);
  check_range(table, rows, options, data);
  if (!options.weight.empty()) data.row_weight = nonnegative_numbers_of(table, options.weight, rows, "a weight");
  if (!options.noise.empty()) data.noise = nonnegative_numbers_of(table, options.noise, rows, "a noise level");
  if (!options.time.empty()) data.times = times_of(table, options.time, rows);
  if (!options.group.empty()) {
    const Column& groups = column_of(table, options.group);
    for (const std::size_t i : rows) data.groups.emplace_back(groups[i]);
  }
  if (options.coverage_by.empty()) return;
  const std::vector<std::string> names = strata_in(table, options.coverage_by);
  for (const std::size_t i : rows) data.strata.push_back(names[i]);
  data.strata_name = options.coverage_by;
}

/// A column that runs with the target may be missed among the inputs.
void note_time_column(std::span<const std::string> inputs, const DatasetOptions& options, DatasetReport& report) {
  if (options.time.empty() || std::ranges::find(inputs, options.time) != inputs.end()) return;
  report.notes.push_back({.column = options.time,
                          .text = fmt::format("column '{}' orders the rows and is not an input; list it among the "
                                              "features to learn from it as well",
                                              options.time)});
}

/// Fills the inputs, encoded as in data.features.
void fill_inputs(const Table& table, std::span<const std::size_t> rows, DataSet& data) {
  name_inputs(data);
  EncodedRows encoded = encode_rows(table, data.features, rows);
  data.inputs = std::move(encoded.inputs);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (encoded.unfamiliar[i]) data.report.unfamiliar_rows.push_back(i);
  }
  list_constant_columns(data);
  note_weightless_rows(data, data.report.weightless_lines.size());
  check_dataset(data);
}

std::vector<FeatureColumn> classify(const Table& table, std::span<const std::string> names,
                                    std::span<const std::size_t> rows, const DatasetOptions& options,
                                    DatasetReport& report) {
  std::vector<FeatureColumn> features;
  report.missing_cells.clear();
  report.notes.clear();
  for (const std::string& name : names) {
    if (options.fixed_inputs) {
      features.push_back(classify_fixed_column(table, name, rows, options));
    } else if (std::optional<FeatureColumn> feature = classify_column(table, name, rows, options, report)) {
      features.push_back(std::move(*feature));
    }
  }
  if (!features.empty()) return features;
  std::string why;
  for (const ColumnNote& note : report.notes) why += "; " + note.text;
  throw DataError(where, fmt::format("{}: no input column can be used{}", table.source(), why));
}

/// For an existing network, rows with missing cells must be dropped before the columns are examined.
std::vector<std::size_t> rows_for_fixed_inputs(const Table& table, std::span<const std::size_t> rows,
                                               std::span<const std::string> inputs, const DatasetOptions& options,
                                               DatasetReport& report) {
  std::vector<NeededColumn> needed;
  for (const std::string& name : inputs) needed.push_back({.name = name});
  return complete_or_refused(table, rows, needed, options, report);
}

}  // namespace

DataSet make_dataset(const Table& table, const DatasetOptions& options) {
  DataSet data;
  const std::vector<std::string> inputs = input_columns(table, options);
  check_target_range(options);
  std::vector<std::size_t> rows = labelled_rows(table, options, data.report);
  if (options.fixed_inputs) rows = rows_for_fixed_inputs(table, rows, inputs, options, data.report);
  check_row_count(table, rows.size(), options, data.report);
  data.features = classify(table, inputs, rows, options, data.report);
  if (options.drop_missing && !options.fixed_inputs) {
    std::vector<std::size_t> complete = without_missing_inputs(table, rows, data.features, options, data.report);
    check_row_count(table, complete.size(), options, data.report);
    if (complete.size() < rows.size()) {
      rows = std::move(complete);
      data.features = classify(table, inputs, rows, options, data.report);
    }
  }
  note_time_column(inputs, options, data.report);
  fill_targets_and_row_info(table, rows, options, data);
  check_target(table, data);
  check_target_spread(table, data);
  fill_inputs(table, rows, data);
  return data;
}

DataSet make_dataset(const Table& table, std::span<const FeatureColumn> features, const DatasetOptions& options) {
  DataSet data;
  std::vector<std::size_t> rows = labelled_rows(table, options, data.report);
  rows = without_missing_inputs(table, rows, features, options, data.report);
  check_row_count(table, rows.size(), options, data.report);
  fill_targets_and_row_info(table, rows, options, data);
  data.features.assign(features.begin(), features.end());
  fill_inputs(table, rows, data);
  return data;
}

std::vector<std::string> strata_in(const Table& table, const std::string& column) {
  const Column& cells = column_of(table, column);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < cells.size(); ++i) names.push_back(stratum_of(cells[i]));
  return names;
}

std::string stratum_of(std::string_view cell) {
  return std::string(read_cell(cell).kind == CellKind::missing ? "(missing)" : cell);
}

Table complete_rows(const Table& table, std::span<const std::string> columns) {
  std::vector<NeededColumn> needed;
  for (const std::string& name : columns) needed.push_back({.name = name});
  const std::vector<std::size_t> rows = sort_rows(table, all_rows(table), needed).complete;
  std::vector<Column> kept;
  for (const Column& column : table.columns()) {
    kept.emplace_back(column.name());
    for (const std::size_t i : rows) kept.back().push_back(column[i]);
  }
  return {table.source(), std::move(kept), lines_of(table, rows)};
}

EncodedRows encode(const Table& table, std::span<const FeatureColumn> features) {
  const std::vector<std::size_t> rows = all_rows(table);
  DatasetReport nothing;
  (void)without_missing_inputs(table, rows, features, {}, nothing);  // a message with the number of such rows
  return encode_rows(table, features, rows);
}

std::vector<double> encode_inputs(const Table& table, std::span<const FeatureColumn> features) {
  return encode(table, features).inputs;
}

}  // namespace nomu
