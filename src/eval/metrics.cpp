#include "nomu/eval/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "eval/normal.hpp"
#include "eval/row_checks.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "eval/metrics";

void check_gaussian(std::span<const double> mean, std::span<const double> sigma, std::span<const double> target) {
  require_finite(where, "mean", mean);
  require_rows(where, "sigma", sigma, mean.size());
  require_not_negative(where, "sigma", sigma);
  require_rows(where, "target", target, mean.size());
}

void check_bounds(std::span<const double> lower, std::span<const double> upper) {
  require_finite(where, "lower bound", lower);
  require_rows(where, "upper bound", upper, lower.size());
}

void check_factor(double c) {
  if (!(std::isfinite(c) && c >= 0.0)) {
    throw ConfigError(where, fmt::format("the factor c must be finite and not negative, got {}", c));
  }
}

/// The mean of f(i) over the rows.
template <class Function>
double row_mean(std::size_t rows, Function&& f) {
  double sum = 0.0;
  for (std::size_t i = 0; i < rows; ++i) sum += f(i);
  return sum / static_cast<double>(rows);
}

double mean_of(std::span<const double> values) {
  return row_mean(values.size(), [&](std::size_t i) { return values[i]; });
}

double added_constant(NllConstant constant) { return constant == NllConstant::included ? half_log_two_pi : 0.0; }

/// abs(z) of each row: the factor c at which mean -+ c sigma reaches its target.
std::vector<double> covering_factors(std::span<const double> mean, std::span<const double> sigma,
                                     std::span<const double> target) {
  check_gaussian(mean, sigma, target);
  std::vector<double> factors(mean.size());
  for (std::size_t i = 0; i < mean.size(); ++i) {
    const double error = std::abs(target[i] - mean[i]);
    if (sigma[i] == 0.0 && error > 0.0) {
      throw DataError(
          where, fmt::format("row {} (counted from 0) has sigma 0 but is missed by {}, so no factor on sigma covers it",
                             i, error));
    }
    factors[i] = error > 0.0 ? error / sigma[i] : 0.0;
  }
  return factors;
}

/// The integral of abs(share - p) over p from a to b.
double integrate_abs_difference(double share, double a, double b) {
  const double left = share - a;
  const double right = share - b;
  const double same_side = 0.5 * std::abs(left * left - right * right);
  return left * right >= 0.0 ? same_side : 0.5 * (left * left + right * right);
}

}  // namespace

std::vector<double> standardised_residuals(std::span<const double> mean, std::span<const double> sigma,
                                           std::span<const double> target) {
  check_gaussian(mean, sigma, target);
  require_positive(where, "sigma", sigma);
  std::vector<double> z(mean.size());
  for (std::size_t i = 0; i < z.size(); ++i) z[i] = (target[i] - mean[i]) / sigma[i];
  return z;
}

double nll(std::span<const double> mean, std::span<const double> sigma, std::span<const double> target,
           NllConstant constant) {
  const std::vector<double> z = standardised_residuals(mean, sigma, target);
  return row_mean(z.size(), [&](std::size_t i) { return 0.5 * z[i] * z[i] + std::log(sigma[i]); }) +
         added_constant(constant);
}

MinimalNll minimal_nll(std::span<const double> mean, std::span<const double> sigma, std::span<const double> target,
                       NllConstant constant) {
  const std::vector<double> z = standardised_residuals(mean, sigma, target);
  const double mean_square = row_mean(z.size(), [&](std::size_t i) { return z[i] * z[i]; });
  if (mean_square == 0.0) {
    throw DataError(
        where,
        "every target equals its prediction, so the NLL has no minimum: it falls without bound as sigma shrinks");
  }
  const double log_sigma = row_mean(z.size(), [&](std::size_t i) { return std::log(sigma[i]); });
  return {.value = log_sigma + 0.5 * std::log(mean_square) + 0.5 + added_constant(constant),
          .c = std::sqrt(mean_square)};
}

double coverage(std::span<const double> lower, std::span<const double> upper, std::span<const double> target) {
  check_bounds(lower, upper);
  require_rows(where, "target", target, lower.size());
  return row_mean(target.size(),
                  [&](std::size_t i) { return lower[i] <= target[i] && target[i] <= upper[i] ? 1.0 : 0.0; });
}

double coverage(const Bounds& bounds, std::span<const double> target) {
  return coverage(bounds.lower, bounds.upper, target);
}

double coverage(std::span<const double> mean, std::span<const double> sigma, std::span<const double> target, double c) {
  check_gaussian(mean, sigma, target);
  check_factor(c);
  return row_mean(target.size(), [&](std::size_t i) {
    return mean[i] - c * sigma[i] <= target[i] && target[i] <= mean[i] + c * sigma[i] ? 1.0 : 0.0;
  });
}

double mean_width(std::span<const double> lower, std::span<const double> upper) {
  check_bounds(lower, upper);
  return row_mean(lower.size(), [&](std::size_t i) { return std::abs(upper[i] - lower[i]); });
}

double mean_width(const Bounds& bounds) { return mean_width(bounds.lower, bounds.upper); }

double mean_width(std::span<const double> sigma, double c) {
  require_not_negative(where, "sigma", sigma);
  check_factor(c);
  return 2.0 * c * mean_of(sigma);
}

std::vector<CurvePoint> mw_cp_curve(std::span<const double> mean, std::span<const double> sigma,
                                    std::span<const double> target) {
  std::vector<double> factors = covering_factors(mean, sigma, target);
  std::ranges::sort(factors);
  const auto n = static_cast<double>(factors.size());
  const double width = 2.0 * mean_of(sigma);
  const auto met_exactly = static_cast<std::size_t>(std::ranges::upper_bound(factors, 0.0) - factors.begin());
  std::vector<CurvePoint> curve = {{.c = 0.0, .coverage = static_cast<double>(met_exactly) / n, .mean_width = 0.0}};
  for (std::size_t i = met_exactly; i < factors.size(); ++i) {
    if (i + 1 < factors.size() && factors[i + 1] == factors[i]) continue;  // rows covered by the same c
    const double c = factors[i];
    curve.push_back({.c = c, .coverage = curve.back().coverage, .mean_width = c * width});
    curve.push_back({.c = c, .coverage = static_cast<double>(i + 1) / n, .mean_width = c * width});
  }
  return curve;
}

double auc(std::span<const double> mean, std::span<const double> sigma, std::span<const double> target) {
  return 2.0 * mean_of(covering_factors(mean, sigma, target)) * mean_of(sigma);
}

double crps(std::span<const double> mean, std::span<const double> sigma, std::span<const double> target) {
  check_gaussian(mean, sigma, target);
  return row_mean(mean.size(), [&](std::size_t i) {
    const double error = target[i] - mean[i];
    if (sigma[i] == 0.0) return std::abs(error);
    const double z = error / sigma[i];
    return sigma[i] * (z * std::erf(z / std::numbers::sqrt2) + 2.0 * normal_density(z) - std::numbers::inv_sqrtpi);
  });
}

double interval_score(std::span<const double> lower, std::span<const double> upper, std::span<const double> target,
                      double level) {
  require_level(where, level);
  check_bounds(lower, upper);
  require_rows(where, "target", target, lower.size());
  const double penalty = 2.0 / (1.0 - level);
  return row_mean(target.size(), [&](std::size_t i) {
    const double missed = std::max({0.0, lower[i] - target[i], target[i] - upper[i]});
    return upper[i] - lower[i] + penalty * missed;
  });
}

double interval_score(const Bounds& bounds, std::span<const double> target, double level) {
  return interval_score(bounds.lower, bounds.upper, target, level);
}

double rmse(std::span<const double> mean, std::span<const double> target) {
  require_finite(where, "mean", mean);
  require_rows(where, "target", target, mean.size());
  return std::sqrt(row_mean(mean.size(), [&](std::size_t i) { return (target[i] - mean[i]) * (target[i] - mean[i]); }));
}

double miscalibration_area(std::span<const double> mean, std::span<const double> sigma,
                           std::span<const double> target) {
  std::vector<double> levels = standardised_residuals(mean, sigma, target);
  for (double& level : levels) level = normal_cdf(level);
  std::ranges::sort(levels);
  const auto n = static_cast<double>(levels.size());
  double area = 0.0;
  double from = 0.0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    area += integrate_abs_difference(static_cast<double>(i) / n, from, levels[i]);
    from = levels[i];
  }
  return area + integrate_abs_difference(1.0, from, 1.0);
}

double sharpness(std::span<const double> sigma) {
  require_not_negative(where, "sigma", sigma);
  return std::sqrt(row_mean(sigma.size(), [&](std::size_t i) { return sigma[i] * sigma[i]; }));
}

MetricsReport measure(std::span<const double> mean, std::span<const double> sigma, std::span<const double> target) {
  const MinimalNll minimum = minimal_nll(mean, sigma, target, NllConstant::left_out);
  return {.rows = mean.size(),
          .rmse = rmse(mean, target),
          .nll = nll(mean, sigma, target, NllConstant::included),
          .min_nll = minimum.value,
          .best_c = minimum.c,
          .auc = auc(mean, sigma, target),
          .full_coverage_c = std::ranges::max(covering_factors(mean, sigma, target)),
          .crps = crps(mean, sigma, target),
          .miscalibration_area = miscalibration_area(mean, sigma, target),
          .sharpness = sharpness(sigma)};
}

MetricsReport measure(const Prediction& prediction, std::size_t member, std::span<const double> target,
                      const Calibration& calibration) {
  const PredictedRows rows = predicted_rows(prediction, member);
  return measure(rows.mean, central_sigma(calibration, rows), target);
}

}  // namespace nomu
