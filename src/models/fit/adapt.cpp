#include "nomu/models/adapt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "models/adapt";

/// Sigmas of 0 would make every error infinite.
std::vector<PredictedRow> rows_of(const PredictedRows& predicted, const Calibration& calibration) {
  const CalibratedSigma sigma = calibrated_sigma(calibration, predicted);
  const double least = std::numeric_limits<float>::min();
  std::vector<PredictedRow> rows;
  for (std::size_t i = 0; i < predicted.rows(); ++i) {
    rows.push_back({.mean = predicted.mean[i],
                    .sigma_above = std::max(least, sigma.above[i]),
                    .sigma_below = std::max(least, sigma.below[i])});
  }
  return rows;
}

/// The targets of the rows; NaN where there is none yet.
std::vector<double> results_in(const Table& table, const std::string& target) {
  if (!table.has_column(target)) {
    throw DataError(where, fmt::format("{}: there is no column '{}', whose results adaptive bounds follow; add it, and "
                                       "leave cells empty where the result is not known yet",
                                       table.source(), target));
  }
  const Column& cells = table.columns()[column_index(table, target)];
  std::vector<double> results;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const CellValue cell = read_cell(cells[i]);
    if (cell.kind == CellKind::text || cell.kind == CellKind::infinite) {
      throw DataError(where,
                      fmt::format("{}, row {}, column '{}': '{}' is not a result; give a number, or leave the cell "
                                  "empty where there is none yet",
                                  table.source(), table.line(i), target, cells[i]));
    }
    results.push_back(cell.kind == CellKind::number ? cell.number : std::numeric_limits<double>::quiet_NaN());
  }
  return results;
}

}  // namespace

AdaptiveBounds adaptive_bounds(const Model& model, const AdaptiveSpec& spec) {
  const HeldOut& held = model.held_out();
  if (held.targets.empty()) {
    throw ConfigError(
        where, "adaptive bounds start from rows that the model has not seen, and it has none; calibrate it first");
  }
  const std::vector<PredictedRow> rows = rows_of(held.predicted, model.calibration());
  std::vector<double> errors;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double residual = held.targets[i] - rows[i].mean;
    errors.push_back(residual / (residual < 0.0 ? rows[i].sigma_below : rows[i].sigma_above));
  }
  return AdaptiveBounds(errors, spec);
}

std::vector<PredictedRow> adaptive_rows(const Model& model, std::span<const double> x, std::span<const double> noise) {
  return rows_of(model.predict(x, noise), {});
}

AdaptedTable predict_adapting(const Model& model, const Table& rows, double level) {
  AdaptiveBounds bounds = adaptive_bounds(model, {.level = level});
  const std::vector<double> results = results_in(rows, model.data().target_name);
  const std::vector<PredictedRow> predicted = rows_of(model.predict(rows), {});
  std::vector<std::string> lower;
  std::vector<std::string> upper;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const AdaptiveInterval interval = bounds.interval(predicted[i]);
    const TargetRange& range = model.data().range;
    lower.push_back(format_number(std::clamp(interval.lower, range.low, range.high)));
    upper.push_back(format_number(std::clamp(interval.upper, range.low, range.high)));
    if (results[i] == results[i]) bounds.update(results[i], predicted[i]);
  }
  const Table plain = predict_table(model, rows, {});
  std::vector<Column> columns;
  for (const Column& column : plain.columns()) {
    const bool bound = !rows.has_column(column.name()) && (column.name() == "lower" || column.name() == "upper");
    if (!bound) {
      columns.push_back(column);
      continue;
    }
    columns.emplace_back(column.name());
    for (const std::string& cell : column.name() == "lower" ? lower : upper) columns.back().push_back(cell);
  }
  std::vector<std::size_t> lines;
  for (std::size_t i = 0; i < rows.rows(); ++i) lines.push_back(rows.line(i));
  return {.table = {rows.source(), std::move(columns), std::move(lines)},
          .results = bounds.rows(),
          .within = bounds.rows() - bounds.missed(),
          .guarantee = bounds.guarantee()};
}

}  // namespace nomu
