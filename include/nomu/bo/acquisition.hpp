#pragma once
/// Acquisition functions: how promising a point is, given only its predicted mean and model uncertainty. Larger values
/// are better throughout; to minimise, negate the targets before the fit.

#include <cstdint>
#include <span>
#include <vector>

#include "nomu/core/fields.hpp"

namespace nomu {

enum class AcquisitionKind {
  upper_bound,               ///< mean + c sigma
  expected_improvement,      ///< expected improvement over the best value so far, with sigma scaled by c
  log_expected_improvement,  ///< its logarithm, accurate even where the improvement underflows to 0
  mean,
  sigma
};

/// log(phi(z) + z Phi(z)): the logarithm of the expected improvement of a standard normal variable over -z, accurate
/// for every z.
[[nodiscard]] double log_improvement(double z);

/// The acquisition at a point. `best` is the largest value observed, on the scale of the mean.
[[nodiscard]] double acquisition(AcquisitionKind kind, double mean, double sigma, double c, double best);

/// MW scaling (Appendix B.3.2): the c for which the bounds mean -+ c sigma have this mean width over points of the box,
/// whose sigmas are given. Throws DataError if there are none, or if they are not finite or all 0.
[[nodiscard]] double mean_width_c(std::span<const float> sigmas, double mean_width);

/// Dynamic c (Appendix B.3.2): if a proposal is too close to a known point, c is doubled and the search repeated. The
/// distance that counts as too close decreases geometrically over the steps.
struct DynamicC {
  double delta_start = 1.0 / 16.0;
  double delta_end = 0.01;
  std::int64_t doublings = 15;  ///< largest number of doublings; 0: never double
  bool published =
      false;  ///< as in the paper's tables: equal distances are not too close, and the first step has no decay

  /// 16 doublings, and `published` set.
  [[nodiscard]] static DynamicC as_published();

  /// The distance that counts as too close after `taken` of `steps` steps.
  [[nodiscard]] double delta(std::int64_t taken, std::int64_t steps) const;
  /// Whether x [d] is too close to one of the points `known` [n][d].
  [[nodiscard]] bool too_close(std::span<const double> x, std::span<const double> known, double delta) const;
};

[[nodiscard]] Fields fields_of(DynamicC& spec);

/// Euclidean distance from x [d] to the nearest of `points` [n][d]; infinite if there are none.
[[nodiscard]] double nearest_distance(std::span<const double> x, std::span<const double> points);

}  // namespace nomu
