#pragma once
// How sigma rises with the distance from the data, chosen by rows that networks had not seen.

#include <cstdint>
#include <span>
#include <vector>

namespace nomu {

/// How noise and distance from the data make up the deviation of a member's predictions.
struct SigmaShape {
  double start = 0.0;         ///< distance up to which there is no sigma
  double power = 1.0;         ///< how slowly it rises from there
  double far = 1.0;           ///< sigma at distance 1
  double noise_factor = 1.0;  ///< of the noise

  [[nodiscard]] double sigma(double distance) const;
};

/// Rows that the networks had not seen: errors, noise, and distance from the data, which is 0 at the data and 1 far
/// from them.
struct JudgedRows {
  std::vector<double> errors, noise, distance;
  std::vector<double> beyond = {};  ///< deviations that numbers beyond their range add; empty: none
};

/// The shape that predicts errors of unseen rows best, by CRPS. Far from the data sigma is `sigma_far` unless unseen
/// rows as far away speak against it. Where networks that did not know a region erred there (`gaps`), the shape has
/// twice that much sigma if this costs at most 7 % of the CRPS. Of shapes that are equally good, the one with most
/// sigma away from the data.
[[nodiscard]] SigmaShape choose_shape(const JudgedRows& unseen, std::span<const JudgedRows> gaps, double sigma_far,
                                      std::int64_t threads);

}  // namespace nomu
