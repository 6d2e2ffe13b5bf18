#include "nomu/data/dataset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "data/constant_columns.hpp"
#include "data/encoding.hpp"
#include "data/stand_ins.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "data/dataset";

void check_finite(std::span<const double> values, std::string_view what, std::size_t cols) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    throw DataError(where,
                    fmt::format("the {} of row {}, column {} (counted from 0) is {}; every number must be finite", what,
                                i / cols, i % cols, values[i]));
  }
}

/// One value per row, or none at all.
void check_count(std::size_t count, std::string_view what, std::size_t rows) {
  if (count == 0 || count == rows) return;
  throw DataError(where, fmt::format("{} {} values given for {} rows; give one per row", count, what, rows));
}

void check_optional_values(std::span<const double> values, std::string_view what, std::size_t rows) {
  if (values.empty()) return;
  check_count(values.size(), what, rows);
  check_finite(values, what, 1);
  const auto negative = std::ranges::find_if(values, [](double v) { return v < 0.0; });
  if (negative != values.end()) {
    throw DataError(where, fmt::format("the {} of row {} (counted from 0) is {}; it must not be negative", what,
                                       negative - values.begin(), *negative));
  }
}

}  // namespace

DataSet make_dataset(std::vector<double> inputs, std::size_t cols, std::vector<double> targets) {
  std::vector<std::string> names;
  for (std::size_t j = 0; j < cols; ++j) names.push_back(fmt::format("x{}", j + 1));
  return make_dataset(std::move(inputs), std::move(names), std::move(targets));
}

DataSet make_dataset(std::vector<double> inputs, std::vector<std::string> names, std::vector<double> targets) {
  DataSet data;
  data.inputs = std::move(inputs);
  data.targets = std::move(targets);
  data.input_names = std::move(names);
  for (const std::string& name : data.input_names) data.features.push_back({.name = name, .levels = {}});
  check_dataset(data);
  add_stand_ins(data);
  list_constant_columns(data);
  return data;
}

void add_stand_ins(DataSet& data) {
  std::size_t first = 0;
  for (FeatureColumn& column : data.features) {
    if (first >= data.cols()) return;  // columns that do not match the inputs are refused elsewhere
    if (column.kind != ColumnKind::names && !column.stand_in) {
      std::vector<double> values;
      values.reserve(data.rows());
      for (std::size_t i = 0; i < data.rows(); ++i) values.push_back(data.row(i)[first]);
      column.stand_in = encoding::median_of(std::move(values));
    }
    first += input_count(column);
  }
}

void list_constant_columns(DataSet& data) {
  std::vector<bool> unknown(data.cols(), false);
  for (const InputBlock& block : input_blocks(data)) {
    if (block.unknown) unknown[block.first + block.other] = true;
  }
  for (std::size_t j = 0; j < data.cols(); ++j) {
    if (unknown[j]) continue;  // always 0 in training; not worth a note
    bool constant = true;
    for (std::size_t i = 1; i < data.rows() && constant; ++i) constant = data.row(i)[j] == data.row(0)[j];
    if (constant) data.report.constant_columns.push_back(data.input_names[j]);
  }
}

void check_dataset(const DataSet& data) {
  if (data.cols() == 0) throw DataError(where, "a data set needs at least one input column");
  if (data.rows() == 0) throw DataError(where, "a data set needs at least one row");
  if (data.inputs.size() != data.rows() * data.cols()) {
    throw DataError(where, fmt::format("{} input values given for {} targets and {} columns; expected {}",
                                       data.inputs.size(), data.rows(), data.cols(), data.rows() * data.cols()));
  }
  check_finite(data.inputs, "input", data.cols());
  check_finite(data.targets, "target", 1);
  check_optional_values(data.row_weight, "weight", data.rows());
  check_optional_values(data.noise, "noise", data.rows());
  check_count(data.groups.size(), "group", data.rows());
  check_count(data.times.size(), "time", data.rows());
  check_count(data.strata.size(), "stratum", data.rows());
  const bool all_zero = std::ranges::all_of(data.row_weight, [](double w) { return w == 0.0; });
  if (!data.row_weight.empty() && all_zero)
    throw DataError(where, "all row weights are zero; at least one must be positive");
}

DataSet subset(const DataSet& data, std::span<const std::size_t> rows) {
  DataSet part;
  part.input_names = data.input_names;
  part.target_name = data.target_name;
  part.noise_name = data.noise_name;
  part.strata_name = data.strata_name;
  part.features = data.features;
  part.range = data.range;
  part.inputs.reserve(rows.size() * data.cols());
  for (const std::size_t i : rows) {
    if (i >= data.rows()) {
      throw DataError(where,
                      fmt::format("row {} requested, but the data set has {} rows (counted from 0)", i, data.rows()));
    }
    const std::span<const double> row = data.row(i);
    part.inputs.insert(part.inputs.end(), row.begin(), row.end());
    part.targets.push_back(data.targets[i]);
    if (!data.row_weight.empty()) part.row_weight.push_back(data.row_weight[i]);
    if (!data.noise.empty()) part.noise.push_back(data.noise[i]);
    if (!data.groups.empty()) part.groups.push_back(data.groups[i]);
    if (!data.times.empty()) part.times.push_back(data.times[i]);
    if (!data.strata.empty()) part.strata.push_back(data.strata[i]);
  }
  return part;
}

}  // namespace nomu
