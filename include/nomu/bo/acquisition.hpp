#pragma once
/// How worthwhile it is to look at a point, from its predicted mean and model uncertainty alone. Everything here seeks
/// the largest value; who wants the smallest turns the targets round before the fit.

#include <cstdint>
#include <span>
#include <vector>

#include "nomu/core/fields.hpp"

namespace nomu {

enum class AcquisitionKind {
  upper_bound,               ///< mean + c sigma
  expected_improvement,      ///< over the best value so far, sigma scaled by c
  log_expected_improvement,  ///< its logarithm, exact where the improvement itself is 0 in double precision
  mean,
  sigma
};

/// log(phi(z) + z Phi(z)), the logarithm of the expected improvement of a standard normal over -z, for every z.
[[nodiscard]] double log_improvement(double z);

/// The acquisition at a point. `best` is the largest value observed, on the scale of the mean.
[[nodiscard]] double acquisition(AcquisitionKind kind, double mean, double sigma, double c, double best);

/// MW scaling (Appendix B.3.2): the c for which bounds mean -+ c sigma are `mean_width` wide on average over points of
/// the box whose sigmas are given. Throws DataError where there are none, or they are not finite or all 0.
[[nodiscard]] double mean_width_c(std::span<const float> sigmas, double mean_width);

/// Dynamic c (Appendix B.3.2): a proposal too near to a known point is made again with c doubled. The threshold falls
/// geometrically over the steps: a young model gets bored sooner.
struct DynamicC {
  double delta_start = 1.0 / 16.0;
  double delta_end = 0.01;
  std::int64_t doublings = 15;  ///< most of them; 0: never
  bool published = false;  ///< as the paper's tables were made: "near" excludes equality, the first step has no decay

  /// 16 doublings, and the flag above.
  [[nodiscard]] static DynamicC as_published();

  /// The threshold after `taken` of `steps` steps.
  [[nodiscard]] double delta(std::int64_t taken, std::int64_t steps) const;
  /// Whether x [d] is too near to one of `known` [n][d].
  [[nodiscard]] bool bored(std::span<const double> x, std::span<const double> known, double delta) const;
};

[[nodiscard]] Fields fields_of(DynamicC& spec);

/// Euclidean distance of x [d] to the nearest of `points` [n][d]; infinite where there is none.
[[nodiscard]] double nearest_distance(std::span<const double> x, std::span<const double> points);

}  // namespace nomu
