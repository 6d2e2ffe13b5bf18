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

struct BootstrapSpec {
  double level = 0.95;
  std::size_t resamples = 1000;
  std::uint64_t seed = 0;
};

/// Percentile bootstrap of the median and of the mean: the two type-7 quantiles of the statistic over resamples drawn
/// with replacement. They throw ConfigError when the level is not inside (0, 1) or the number of resamples is 0.
[[nodiscard]] Interval bootstrap_median_interval(std::span<const double> values, const BootstrapSpec& spec = {});
[[nodiscard]] Interval bootstrap_mean_interval(std::span<const double> values, const BootstrapSpec& spec = {});

/// Ranks from 1; tied values share the mean of their ranks.
[[nodiscard]] std::vector<double> ranks_of(std::span<const double> values);

/// Spearman's rank correlation, with ties. Throws DataError when lengths differ, there are fewer than two pairs or all
/// values of `a` or of `b` are equal.
[[nodiscard]] double spearman(std::span<const double> a, std::span<const double> b);

/// The paper's ranks of algorithms where smaller is better: 1 + the number of algorithms whose interval lies entirely
/// below this one's. Throws DataError when an interval's ends are not finite or not in order.
[[nodiscard]] std::vector<std::size_t> paper_ranks(std::span<const Interval> intervals);

/// The range that contains the share of covered test rows of split conformal bounds with probability at least
/// `confidence`, with at most half the rest on either side. The number of covered rows is beta-binomial, BB(test_rows;
/// k, n + 1 - k) with k = ceil((n + 1) level), when scores have no ties. Throws ConfigError when level or confidence is
/// not inside (0, 1), there are no test rows or n is too small for the level.
[[nodiscard]] Interval conformal_coverage_interval(std::size_t calibration_rows, std::size_t test_rows, double level,
                                                   double confidence = 0.95);

/// One factor for a method over many runs. It minimises the NLL averaged first within runs and then over them: c^2 is
/// the mean over runs of mean z^2. `z_of_runs[r]` holds the standardised residuals of run r. Throws DataError when
/// there are no runs, a run is empty or all residuals are 0.
[[nodiscard]] double shared_c(std::span<const std::vector<double>> z_of_runs);

}  // namespace nomu
