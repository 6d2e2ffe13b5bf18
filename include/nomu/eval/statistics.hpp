#pragma once
/// Summaries over many runs: centres, confidence intervals, ranks, correlations. Random resampling is deterministic
/// given its seed.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nomu {

/// A closed interval.
struct Interval {
  double lower = 0.0;
  double upper = 0.0;

  friend bool operator==(const Interval&, const Interval&) = default;
};

/// All functions of `values` throw DataError when there are none or one is not finite.
[[nodiscard]] double mean(std::span<const double> values);
[[nodiscard]] double median(std::span<const double> values);

/// Interpolates between order statistics at position (n - 1) p (type 7, the default of R and NumPy). Throws ConfigError
/// when p is not in [0, 1].
[[nodiscard]] double quantile(std::span<const double> values, double p);

/// Sample standard deviation (divisor n - 1); 0 for a single value.
[[nodiscard]] double standard_deviation(std::span<const double> values);
/// Standard error of the mean, standard deviation / sqrt(n).
[[nodiscard]] double standard_error(std::span<const double> values);

/// mean -+ z standard errors. Throws ConfigError when the level is not inside (0, 1).
[[nodiscard]] Interval normal_interval(std::span<const double> values, double level = 0.95);

/// Ranks from 1; tied values share the mean of their ranks.
[[nodiscard]] std::vector<double> ranks_of(std::span<const double> values);

/// Spearman's rank correlation, with ties. Throws DataError when lengths differ, there are fewer than two pairs or all
/// values of `a` or of `b` are equal.
[[nodiscard]] double spearman(std::span<const double> a, std::span<const double> b);

/// The range that contains the share of covered test rows of split conformal bounds with probability at least
/// `confidence`, with at most half the rest on either side. The number of covered rows is beta-binomial, BB(test_rows;
/// k, n + 1 - k) with k = ceil((n + 1) level), when scores have no ties. Throws ConfigError when level or confidence is
/// not inside (0, 1), there are no test rows or n is too small for the level.
[[nodiscard]] Interval conformal_coverage_interval(std::size_t calibration_rows, std::size_t test_rows, double level,
                                                   double confidence = 0.95);

}  // namespace nomu
