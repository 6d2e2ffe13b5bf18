#pragma once
/// A monotone map of the target for tables whose targets span orders of magnitude or have heavy tails: models learn
/// asinh((y - centre) / scale), which is linear near the centre and logarithmic far from it.

#include <span>
#include <vector>

#include "nomu/eval/bounds.hpp"
#include "nomu/eval/calibration.hpp"

namespace nomu {

/// From the target y to z, which a model learns, and back. The identity unless scale is positive.
struct Warp {
  double centre = 0.0;
  double scale = 0.0;

  [[nodiscard]] bool active() const { return scale > 0.0; }
  [[nodiscard]] double apply(double y) const;
  [[nodiscard]] double invert(double z) const;
  [[nodiscard]] std::vector<double> apply(std::span<const double> y) const;
  /// dy/dz at z.
  [[nodiscard]] double slope(double z) const;

  friend bool operator==(const Warp&, const Warp&) = default;
};

/// Predictions of z as predictions of y. The mean is that of y if the noise of z is Gaussian; deviations are half the
/// distance between what lies one deviation above and below z, divided between model and noise by their variances.
[[nodiscard]] PredictedRows unwarped(PredictedRows rows, const Warp& warp);
[[nodiscard]] Bounds unwarped(Bounds bounds, const Warp& warp);

/// The warps worth trying for these targets, the identity first: around zero if no target is negative and they are
/// skewed, around the median if both tails are heavy.
[[nodiscard]] std::vector<Warp> possible_warps(std::span<const double> targets);

}  // namespace nomu
