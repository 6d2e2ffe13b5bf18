#include "nomu/eval/bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "eval/row_checks.hpp"
#include "eval/score_set.hpp"
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

void check_strata(std::span<const std::string> strata, std::size_t rows) {
  if (strata.empty() || strata.size() == rows) return;
  throw DataError(where, fmt::format("{} strata given for {} rows; give one per row", strata.size(), rows));
}

}  // namespace

Bounds make_bounds(const PredictedRows& rows, const Calibration& calibration, double level,
                   std::span<const std::string> strata) {
  check_strata(strata, rows.rows());
  const Multipliers interval = multipliers(calibration, level);
  const CalibratedSigma sigma = calibrated_sigma(calibration, rows);
  Bounds bounds = interval_bounds(rows, sigma, interval);
  if (calibration.strata.empty() || strata.empty()) return bounds;
  const LevelSets sets(calibration, level);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const double score = sets.score(sets.of(strata[i]));
    bounds.lower[i] = rows.mean[i] - score * sigma.below[i];
    bounds.upper[i] = rows.mean[i] + score * sigma.above[i];
  }
  return bounds;
}

Bounds make_bounds(const Prediction& prediction, std::size_t member, const Calibration& calibration, double level) {
  return make_bounds(predicted_rows(prediction, member), calibration, level);
}

Bounds make_bounds(const PredictedRows& rows, const Calibration& calibration) {
  return interval_bounds(rows, calibrated_sigma(calibration, rows), {.below = 1.0, .above = 1.0});
}

Bounds cross_bounds(std::span<const PredictedRows> fold_models, const Calibration& calibration, double level,
                    const std::function<double(std::size_t, double)>& back, std::span<const std::string> strata) {
  if (calibration.kind != CalibrationKind::cross_conformal) {
    throw ConfigError(where,
                      fmt::format("CV+ bounds need a calibration of kind 'cross_conformal', but this one is '{}'",
                                  to_text(calibration.kind)));
  }
  check_calibration(calibration);
  const LevelSets sets(calibration, level);
  check_folds(fold_models, calibration);
  check_strata(strata, fold_models[0].rows());
  std::vector<CalibratedSigma> sigma;
  for (const PredictedRows& rows : fold_models) sigma.push_back(calibrated_sigma(calibration, rows));
  Bounds bounds;
  for (std::size_t row = 0; row < fold_models[0].rows(); ++row) {
    const ScoreSet& set = strata.empty() ? sets.widest() : sets.of(strata[row]);
    std::vector<double> lows;
    std::vector<double> highs;
    for (const std::size_t i : set.scores) {
      const std::size_t fold = calibration.score_folds[i];
      const double low = fold_models[fold].mean[row] - calibration.scores[i] * sigma[fold].below[row];
      const double high = fold_models[fold].mean[row] + calibration.scores[i] * sigma[fold].above[row];
      lows.push_back(back ? back(fold, low) : low);
      highs.push_back(back ? back(fold, high) : high);
    }
    const auto [lower, upper] = cross_ends(set, std::move(lows), std::move(highs), level);
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
