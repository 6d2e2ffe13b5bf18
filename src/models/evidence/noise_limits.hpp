#pragma once
// How much the noise may differ between rows: only as far as it clearly predicts the errors at unseen rows.

#include <algorithm>
#include <span>

#include "nomu/data/dataset.hpp"
#include "nomu/data/split.hpp"

namespace nomu {

struct NoiseLimits {
  double factor = 1.0;  ///< of all standard deviations, before they are limited
  double low = 0.0;
  double high = 0.0;

  [[nodiscard]] double applied(double sigma) const { return std::clamp(factor * sigma, low, high); }
};

/// Parts of the rows that are independent of each other: groups, stretches of time or distinct inputs.
[[nodiscard]] Units independent_parts(const DataSet& data);

/// The same noise for all rows, unless the standard deviations predict the errors clearly better: by more than the
/// standard error of the gain, each unit counted once. Then they may differ within their quartiles, or freely.
[[nodiscard]] NoiseLimits choose_limits(std::span<const double> sigma, std::span<const double> errors,
                                        const Units& units);

}  // namespace nomu
