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

  /// How many medians the unit of `softness` is; 1 where half of the results equal the best one.
  [[nodiscard]] double medians() const { return medians_; }

  /// Results divided by two to this power can be squared and subtracted; 0 where they can as they are.
  [[nodiscard]] int exponent() const { return exponent_; }

  [[nodiscard]] double apply(double value) const;
  [[nodiscard]] double invert(double scaled) const;
  /// The slope of `invert`: how much a small step on the scale means in units of the results.
  [[nodiscard]] double unit_at(double scaled) const;
  [[nodiscard]] Vector apply(const std::vector<double>& values) const;
  /// The log of the density of the results relative to that of the scaled ones.
  [[nodiscard]] double log_jacobian(const std::vector<double>& values) const;

 private:
  int exponent_ = 0;       // results are divided by two to its power
  double best_ = 0.0;      // divided, as all that follows
  double softness_ = 0.0;  // 0: none
  double medians_ = 1.0;
  double centre_ = 0.0;
  double width_ = 1.0;

  [[nodiscard]] double distance(double value) const;
  [[nodiscard]] double compressed(double value) const;
};

}  // namespace nomu
