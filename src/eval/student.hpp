#pragma once
/// Student's t distribution with a whole number of degrees of freedom, for quantiles that were measured on few units.

#include <cmath>
#include <cstddef>
#include <numbers>

#include "eval/normal.hpp"

namespace nomu {

/// P(|T| <= t) for t >= 0, by the finite sums of Abramowitz and Stegun 26.7.3 and 26.7.4.
[[nodiscard]] inline double student_central(double t, std::size_t freedom) {
  const auto n = static_cast<double>(freedom);
  const double sine = t / std::sqrt(n + t * t);
  const double cosine2 = n / (n + t * t);
  const bool odd = freedom % 2 == 1;
  double term = odd ? std::sqrt(cosine2) : 1.0;
  double sum = freedom == 1 ? 0.0 : term;
  for (std::size_t k = odd ? 3 : 2; k + 2 <= freedom; k += 2) {
    const auto step = static_cast<double>(k);
    term *= cosine2 * (step - 1.0) / step;
    sum += term;
  }
  return odd ? 2.0 / std::numbers::pi * (std::atan2(sine, std::sqrt(cosine2)) + sine * sum) : sine * sum;
}

/// The t with P(|T| <= t) = level, for a level inside (0, 1); practically normal from 2,000 degrees of freedom on.
[[nodiscard]] inline double student_central_quantile(double level, std::size_t freedom) {
  const double normal = -normal_quantile(0.5 * (1.0 - level));
  if (freedom == 0 || freedom > 2000) return normal;
  double low = normal;
  double high = 2.0 * normal + 1.0;
  while (student_central(high, freedom) < level && high < 1e300) high *= 2.0;
  for (int step = 0; step < 200 && high - low > 1e-14 * high; ++step) {
    const double middle = 0.5 * (low + high);
    (student_central(middle, freedom) < level ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace nomu
