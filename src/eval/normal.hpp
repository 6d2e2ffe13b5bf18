#pragma once
/// The standard normal distribution: density, distribution function and quantiles. Used wherever a level is converted
/// to a number of standard deviations.

#include <cmath>
#include <numbers>

namespace nomu {

/// ln(2 pi) / 2.
inline constexpr double half_log_two_pi = 0.91893853320467274178;

[[nodiscard]] inline double normal_density(double z) {
  return std::exp(-0.5 * z * z) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
}

/// P(Z <= z), with full relative accuracy in the lower tail.
[[nodiscard]] inline double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

/// The z with P(Z <= z) = p, for p inside (0, 1). Fully accurate for p down to 1e-300, and near 1 as far as 1 - p is.
/// NaN outside [0, 1], infinite at its ends.
[[nodiscard]] inline double normal_quantile(double p) {
  if (!(p > 0.0 && p < 1.0)) return p == 0.0 ? -HUGE_VAL : p == 1.0 ? HUGE_VAL : std::nan("");
  const double tail = p < 0.5 ? p : 1.0 - p;
  // Q(x) = P(Z > x) <= exp(-x^2/2) / 2, so the start is to the right of the root of ln Q(x) = ln tail. ln Q is concave
  // and decreasing, so Newton's steps from there approach the root without overshooting.
  double x = std::sqrt(-2.0 * std::log(2.0 * tail));
  for (int step = 0; step < 50; ++step) {
    const double upper = normal_cdf(-x);
    const double move = std::log(upper / tail) * upper / normal_density(x);
    x += move;
    if (std::abs(move) <= 1e-15 * (1.0 + x)) break;
  }
  return p < 0.5 ? -x : x;
}

}  // namespace nomu
