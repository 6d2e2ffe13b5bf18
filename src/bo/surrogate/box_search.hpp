#pragma once
// The largest value of a smooth function on a box, by steps along its slopes.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace nomu {

/// The value at a point; fills `slopes` unless it is empty. A value that is not finite marks a point to avoid.
using SlopedFunction = std::function<double(std::span<const double> x, std::span<double> slopes)>;

struct BoxSearch {
  std::vector<double> low;
  std::vector<double> high;
  std::int64_t evaluations = 100;  ///< largest number
  double tolerance = 1e-6;         ///< improvement below which the search ends
};

/// Moves `x` to the best point seen, and returns its value.
double ascend(const SlopedFunction& f, const BoxSearch& search, std::vector<double>& x);

}  // namespace nomu
