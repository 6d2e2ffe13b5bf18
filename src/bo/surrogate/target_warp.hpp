#pragma once
// Results on the scale a process models: distances to the best one, compressed so that bad results do not dominate.

#include <cstddef>
#include <vector>

#include "core/linear_algebra.hpp"

namespace nomu {

/// -t for the distance t to the best result, or -s log(1 + t / s) with a softness s: slope 1 at the best result,
/// logarithmic far below it; then standardised.
class TargetWarp {
 public:
  /// `values`: larger is better. `softness` in medians of the distances (at least a tenth of their mean); 0: none.
  TargetWarp(const std::vector<double>& values, double softness);

  [[nodiscard]] double apply(double value) const;
  [[nodiscard]] double invert(double scaled) const;
  /// The slope of `invert`: how much a small step on the scale means in units of the results.
  [[nodiscard]] double unit_at(double scaled) const;
  [[nodiscard]] Vector apply(const std::vector<double>& values) const;
  /// The log of the density of the results relative to that of the scaled ones.
  [[nodiscard]] double log_jacobian(const std::vector<double>& values) const;

 private:
  double best_ = 0.0;
  double softness_ = 0.0;  // in units of the results; 0: none
  double centre_ = 0.0;
  double width_ = 1.0;

  [[nodiscard]] double compressed(double value) const;
};

}  // namespace nomu
