#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "eval/row_checks.hpp"
#include "nomu/core/error.hpp"
#include "nomu/eval/calibration.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "eval/calibration";

/// Signed (y - mean) / sigma, with the sigma of the side the target lies on.
std::vector<double> residuals(const PredictedRows& rows, std::span<const double> targets, const Calibration& base) {
  const CalibratedSigma sigma = calibrated_sigma(base, rows);
  require_rows(where, "target", targets, rows.rows());
  require_positive(where, "sigma", sigma.above);
  require_positive(where, "sigma", sigma.below);
  std::vector<double> z(rows.rows());
  for (std::size_t i = 0; i < z.size(); ++i) {
    const double residual = targets[i] - rows.mean[i];
    z[i] = residual / (residual < 0.0 ? sigma.below[i] : sigma.above[i]);
  }
  return z;
}

std::vector<double> absolute(std::vector<double> values) {
  for (double& value : values) value = std::abs(value);
  return values;
}

double mean_square(std::span<const double> values) {
  double sum = 0.0;
  for (const double value : values) sum += value * value;
  return sum / static_cast<double>(values.size());
}

void refuse_perfect_fit(double mean_square) {
  if (mean_square == 0.0)
    throw DataError(where,
                    "every target equals its prediction, so no factor on sigma is best; calibrate on other rows");
}

void check_folds(std::span<const std::size_t> folds) {
  const std::size_t last = *std::ranges::max_element(folds);
  if (last == 0) throw ConfigError(where, "all rows are in one fold; CV+ needs at least 2 folds");
  std::vector<std::size_t> sizes(folds.size(), 0);
  for (const std::size_t fold : folds) {
    if (fold < sizes.size()) ++sizes[fold];
  }
  const auto gap = static_cast<std::size_t>(std::ranges::find(sizes, std::size_t{0}) - sizes.begin());
  if (gap <= last) {
    throw DataError(where, fmt::format("fold {} has no rows but fold {} has; number folds without gaps", gap, last));
  }
}

/// What the likelihood of c_model and c_noise needs to know about a row.
struct VarianceRow {
  double model = 0.0;
  double noise = 0.0;
  double squared_error = 0.0;
};

/// The minimum over t of the NLL (doubled, without constants) for variances t (w_model model + w_noise noise), and the
/// t that attains it. Along such a ray the minimum has a closed form, which leaves one dimension to search.
struct RayMinimum {
  double nll = std::numeric_limits<double>::infinity();
  double scale = 0.0;
};

RayMinimum ray_minimum(std::span<const VarianceRow> rows, double w_model, double w_noise) {
  double logs = 0.0;
  double ratios = 0.0;
  for (const VarianceRow& row : rows) {
    const double variance = w_model * row.model + w_noise * row.noise;
    // A row of variance 0 is infinitely unlikely, or says nothing if its target is met exactly.
    if (!(variance > 0.0)) return {};
    logs += std::log(variance);
    ratios += row.squared_error / variance;
  }
  const auto n = static_cast<double>(rows.size());
  return {.nll = logs / n + std::log(ratios / n), .scale = ratios / n};
}

/// The model's share of the variance on a ray: log_odds = ln(w_model / w_noise).
double model_share(double log_odds) { return 1.0 / (1.0 + std::exp(-log_odds)); }

/// The log-odds of the best ray: a scan, because the profile may have several minima, then a golden-section search.
double best_log_odds(std::span<const VarianceRow> rows, double centre) {
  const auto nll = [&](double s) { return ray_minimum(rows, model_share(s), model_share(-s)).nll; };
  constexpr double half_range = 16.0;
  constexpr double step = 0.25;
  double best = 0.0;  // equal factors win if all rays are equally good
  double lowest = nll(best) - 1e-12;
  for (double s = centre - half_range; s <= centre + half_range; s += step) {
    const double value = nll(s);
    if (value < lowest) {
      best = s;
      lowest = value;
    }
  }
  constexpr double golden = 0.61803398874989485;
  double low = best - step;
  double high = best + step;
  while (high - low > 1e-9) {
    const double left = high - golden * (high - low);
    const double right = low + golden * (high - low);
    if (nll(left) <= nll(right)) {
      high = right;
    } else {
      low = left;
    }
  }
  const double refined = 0.5 * (low + high);
  return nll(refined) < lowest ? refined : best;
}

}  // namespace

Calibration calibrate_nll(const PredictedRows& rows, std::span<const double> targets) {
  const double c = std::sqrt(mean_square(residuals(rows, targets, {})));
  refuse_perfect_fit(c);
  return {.kind = CalibrationKind::nll, .c_model = c, .c_noise = c, .rows = rows.rows()};
}

Calibration calibrate_separate(const PredictedRows& rows, std::span<const double> targets) {
  if (rows.sigma_noise.empty()) {
    throw ConfigError(
        where, "separate factors for model and noise need a model of the noise, and there is none; use one factor");
  }
  refuse_perfect_fit(mean_square(residuals(rows, targets, {})));
  std::vector<VarianceRow> variances(rows.rows());
  double model_sum = 0.0;
  double noise_sum = 0.0;
  for (std::size_t i = 0; i < variances.size(); ++i) {
    const double error = targets[i] - rows.mean[i];
    const bool below = error < 0.0 && !rows.sigma_below.empty();
    const double model = below ? rows.sigma_below[i] : rows.sigma_model[i];
    variances[i] = {
        .model = model * model, .noise = rows.sigma_noise[i] * rows.sigma_noise[i], .squared_error = error * error};
    model_sum += variances[i].model;
    noise_sum += variances[i].noise;
  }
  double w_model = model_sum > 0.0 ? 1.0 : 0.0;
  double w_noise = 1.0 - w_model;
  RayMinimum best = ray_minimum(variances, w_model, w_noise);
  if (model_sum > 0.0 && noise_sum > 0.0) {
    const double s = best_log_odds(variances, std::log(noise_sum) - std::log(model_sum));
    const RayMinimum noise_only = ray_minimum(variances, 0.0, 1.0);
    const RayMinimum both = ray_minimum(variances, model_share(s), model_share(-s));
    if (noise_only.nll < best.nll) {
      best = noise_only;
      w_model = 0.0;
      w_noise = 1.0;
    }
    // Take an end of the segment only if no ray inside it is as good.
    if (both.nll <= best.nll + 1e-12) {
      best = both;
      w_model = model_share(s);
      w_noise = model_share(-s);
    }
  }
  return {.kind = CalibrationKind::separate,
          .c_model = std::sqrt(best.scale * w_model),
          .c_noise = std::sqrt(best.scale * w_noise),
          .rows = rows.rows()};
}

Calibration calibrate_coverage(const PredictedRows& rows, std::span<const double> targets, double level) {
  require_level(where, level);
  std::vector<double> z = absolute(residuals(rows, targets, {}));
  const auto n = static_cast<double>(z.size());
  const auto wanted = static_cast<std::size_t>(std::max(1.0, std::ceil(level * n - 1e-9)));
  std::ranges::nth_element(z, z.begin() + static_cast<std::ptrdiff_t>(wanted - 1));
  double c = z[wanted - 1];
  const CalibratedSigma sigma = calibrated_sigma({}, rows);
  const auto covered = [&] {
    std::size_t count = 0;
    for (std::size_t i = 0; i < z.size(); ++i) {
      if (rows.mean[i] - c * sigma.below[i] <= targets[i] && targets[i] <= rows.mean[i] + c * sigma.above[i]) ++count;
    }
    return count;
  };
  // Rounding may leave the row that determines c just outside its own bound.
  for (double nudge = 0x1p-52; covered() < wanted; nudge *= 2.0) c *= 1.0 + nudge;
  return {.kind = CalibrationKind::coverage, .c_model = c, .c_noise = c, .level = level, .rows = rows.rows()};
}

Calibration calibrate_width(const PredictedRows& rows, double mean_width) {
  if (!(std::isfinite(mean_width) && mean_width > 0.0)) {
    throw ConfigError(where, fmt::format("the mean width must be positive and finite, got {}", mean_width));
  }
  const CalibratedSigma sigma = calibrated_sigma({}, rows);
  double sum = std::accumulate(sigma.above.begin(), sigma.above.end(), 0.0);
  sum = std::accumulate(sigma.below.begin(), sigma.below.end(), sum);
  if (sum == 0.0) throw DataError(where, "sigma is 0 in every row, so no factor can give the bounds a width");
  const double c = mean_width * static_cast<double>(rows.rows()) / sum;
  return {.kind = CalibrationKind::width, .c_model = c, .c_noise = c, .rows = rows.rows()};
}

namespace {

/// The different values, ascending, and the place of each value among them.
template <class T>
std::vector<T> numbered(std::span<const T> values, std::vector<std::size_t>& places) {
  std::vector<T> different(values.begin(), values.end());
  std::ranges::sort(different);
  // Not std::ranges::unique, whose result clang 14 cannot compile with this standard library.
  different.erase(std::unique(different.begin(), different.end()), different.end());
  for (const T& value : values) {
    places.push_back(static_cast<std::size_t>(std::ranges::lower_bound(different, value) - different.begin()));
  }
  return different;
}

void check_known(const CalibrationRows& known, std::size_t rows) {
  for (const auto& [count, what] : {std::pair(known.units.size(), "units"), std::pair(known.strata.size(), "strata")}) {
    if (count != 0 && count != rows)
      throw DataError(where, fmt::format("{} {} given for {} rows; give one per row", count, what, rows));
  }
}

/// Scores, folds, units and strata in the order of the scores.
void set_scores(Calibration& calibration, const std::vector<double>& scores, std::span<const std::size_t> folds,
                const CalibrationRows& known) {
  check_known(known, scores.size());
  std::vector<std::size_t> units;
  std::vector<std::size_t> strata;
  calibration.rows = scores.size();
  calibration.unit = known.unit;
  calibration.units = numbered<std::size_t>(known.units, units).size();
  calibration.strata = numbered<std::string>(known.strata, strata);
  if (calibration.units == scores.size()) {  // every row for itself
    calibration.units = 0;
    units.clear();
  }
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return scores[i]; });
  for (const std::size_t i : order) {
    calibration.scores.push_back(scores[i]);
    if (!folds.empty()) calibration.score_folds.push_back(folds[i]);
    if (!units.empty()) calibration.score_units.push_back(units[i]);
    if (!strata.empty()) calibration.score_strata.push_back(strata[i]);
  }
}

/// A unit in two folds would be predicted by a model that has seen a part of it.
void check_units_in_folds(std::span<const std::size_t> units, std::span<const std::size_t> folds) {
  std::map<std::size_t, std::size_t> fold_of_unit;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (fold_of_unit.emplace(units[i], folds[i]).first->second != folds[i])
      throw DataError(where, fmt::format("unit {} lies in more than one fold", units[i]));
  }
}

}  // namespace

Calibration calibrate_conformal(const PredictedRows& rows, std::span<const double> targets, const Calibration& base,
                                const CalibrationRows& known) {
  Calibration calibration{.kind = CalibrationKind::conformal, .c_model = base.c_model, .c_noise = base.c_noise};
  set_scores(calibration, absolute(residuals(rows, targets, base)), {}, known);
  return calibration;
}

Calibration calibrate_cross_conformal(const PredictedRows& out_of_fold, std::span<const double> targets,
                                      std::span<const std::size_t> folds, const Calibration& base,
                                      const CalibrationRows& known) {
  const std::vector<double> scores = absolute(residuals(out_of_fold, targets, base));
  if (folds.size() != scores.size()) {
    throw DataError(where, fmt::format("{} folds given for {} rows; give one per row", folds.size(), scores.size()));
  }
  check_folds(folds);
  check_units_in_folds(known.units, folds);
  Calibration calibration{.kind = CalibrationKind::cross_conformal, .c_model = base.c_model, .c_noise = base.c_noise};
  set_scores(calibration, scores, folds, known);
  return calibration;
}

Calibration with_units(Calibration calibration, const CalibrationRows& known) {
  std::vector<std::size_t> units;
  calibration.unit = known.unit;
  calibration.units = numbered<std::size_t>(known.units, units).size();
  if (calibration.units == calibration.rows) calibration.units = 0;
  return calibration;
}

Calibration calibrate_isotonic(const PredictedRows& rows, std::span<const double> targets, const Calibration& base) {
  Calibration calibration{.kind = CalibrationKind::isotonic,
                          .c_model = base.c_model,
                          .c_noise = base.c_noise,
                          .rows = rows.rows(),
                          .knots = residuals(rows, targets, base)};
  // The pairs (predicted level, share of rows below it) of Kuleshov et al. are already increasing, so pooling adjacent
  // violators would not change them; sorting the residuals is the whole regression.
  std::ranges::sort(calibration.knots);
  return calibration;
}

}  // namespace nomu
