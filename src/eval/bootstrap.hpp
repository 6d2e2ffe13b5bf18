#pragma once
// The interval of a median by resampling, as the paper's experiments report it.

#include <cstddef>
#include <cstdint>
#include <span>

#include "nomu/eval/statistics.hpp"

namespace nomu {

struct BootstrapSpec {
  double level = 0.95;
  std::size_t resamples = 1000;
  std::uint64_t seed = 0;
};

/// Percentile bootstrap of the median: the two type-7 quantiles of the medians of resamples drawn with replacement.
/// Throws ConfigError when the level is not inside (0, 1) or the number of resamples is 0.
[[nodiscard]] Interval bootstrap_median_interval(std::span<const double> values, const BootstrapSpec& spec = {});

}  // namespace nomu
