#include "nomu/eval/bounds.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "eval/row_checks.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "eval/bounds";

/// mean + z sigma, with the sigma of the side that z points to.
double bound_at(double mean, double z, double below, double above) { return mean + z * (z < 0.0 ? below : above); }

Bounds interval_bounds(const PredictedRows& rows, const CalibratedSigma& sigma, const Multipliers& interval) {
  Bounds bounds;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    bounds.lower.push_back(bound_at(rows.mean[i], -interval.below, sigma.below[i], sigma.above[i]));
    bounds.upper.push_back(bound_at(rows.mean[i], interval.above, sigma.below[i], sigma.above[i]));
  }
  return bounds;
}

void check_folds(std::span<const PredictedRows> fold_models, const Calibration& calibration) {
  const std::size_t folds = *std::ranges::max_element(calibration.score_folds) + 1;
  if (fold_models.size() != folds) {
    throw DataError(where,
                    fmt::format("{} fold models given, but the calibration has {} folds", fold_models.size(), folds));
  }
  for (std::size_t k = 1; k < folds; ++k) {
    if (fold_models[k].rows() != fold_models[0].rows()) {
      throw DataError(where, fmt::format("fold model {} predicted {} rows, but fold model 0 predicted {}", k,
                                         fold_models[k].rows(), fold_models[0].rows()));
    }
  }
}

double nth_smallest(std::vector<double>& values, std::size_t n) {
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(n - 1);
  std::ranges::nth_element(values, place);
  return *place;
}

}  // namespace

Bounds make_bounds(const PredictedRows& rows, const Calibration& calibration, double level) {
  const Multipliers interval = multipliers(calibration, level);
  return interval_bounds(rows, calibrated_sigma(calibration, rows), interval);
}

Bounds make_bounds(const Prediction& prediction, std::size_t member, const Calibration& calibration, double level) {
  return make_bounds(predicted_rows(prediction, member), calibration, level);
}

Bounds make_bounds(const PredictedRows& rows, const Calibration& calibration) {
  return interval_bounds(rows, calibrated_sigma(calibration, rows), {.below = 1.0, .above = 1.0});
}

Bounds cross_bounds(std::span<const PredictedRows> fold_models, const Calibration& calibration, double level,
                    const std::function<double(std::size_t, double)>& back) {
  if (calibration.kind != CalibrationKind::cross_conformal) {
    throw ConfigError(where,
                      fmt::format("CV+ bounds need a calibration of kind 'cross_conformal', but this one is '{}'",
                                  to_text(calibration.kind)));
  }
  check_calibration(calibration);
  const std::size_t n = calibration.scores.size();
  const std::size_t rank = conformal_rank(n, level);
  check_folds(fold_models, calibration);
  std::vector<CalibratedSigma> sigma;
  for (const PredictedRows& rows : fold_models) sigma.push_back(calibrated_sigma(calibration, rows));
  Bounds bounds;
  std::vector<double> lows(n);
  std::vector<double> highs(n);
  for (std::size_t row = 0; row < fold_models[0].rows(); ++row) {
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t fold = calibration.score_folds[i];
      lows[i] = fold_models[fold].mean[row] - calibration.scores[i] * sigma[fold].below[row];
      highs[i] = fold_models[fold].mean[row] + calibration.scores[i] * sigma[fold].above[row];
      if (!back) continue;
      lows[i] = back(fold, lows[i]);
      highs[i] = back(fold, highs[i]);
    }
    // floor((n + 1) alpha) and ceil((n + 1) (1 - alpha)) add up to n + 1. Below level 1/2, where nothing is guaranteed,
    // the two ends may cross.
    const auto [lower, upper] = std::minmax({nth_smallest(lows, n + 1 - rank), nth_smallest(highs, rank)});
    bounds.lower.push_back(lower);
    bounds.upper.push_back(upper);
  }
  return bounds;
}

Bounds cross_bounds(const Prediction& fold_models, const Calibration& calibration, double level) {
  std::vector<PredictedRows> rows;
  for (std::size_t k = 0; k < fold_models.mean.members(); ++k) rows.push_back(predicted_rows(fold_models, k));
  return cross_bounds(rows, calibration, level);
}

}  // namespace nomu
