#pragma once
// The moments of several networks' predictions, gathered one network at a time.

#include <cstddef>
#include <span>
#include <vector>

#include "nomu/core/prediction.hpp"

namespace nomu {

/// Mean and population variance of numbers that come one after the other.
struct RunningMoments {
  double count = 0.0;
  double mean = 0.0;
  double squares = 0.0;  ///< sum of squared deviations

  void add(double value, double weight = 1.0) {
    count += weight;
    const double step = value - mean;
    mean += weight * step / count;
    squares += weight * step * (value - mean);
  }
  [[nodiscard]] double variance() const { return squares / count; }
};

/// Predictions of K networks a problem, each row in turn: mean over them, their spread, their noise.
class Mixture {
 public:
  Mixture(std::size_t members, std::size_t rows)
      : members_(members), rows_(rows), means_(members * rows), noises_(members * rows) {}

  /// One network's outputs [q][1 or 2] for problem `member`.
  void add(std::size_t member, std::span<const float> outputs, double weight = 1.0);

  /// sigma_noise only with two outputs.
  [[nodiscard]] Prediction prediction() const;

 private:
  std::size_t members_;
  std::size_t rows_;
  bool noisy_ = false;
  std::vector<RunningMoments> means_;
  std::vector<RunningMoments> noises_;  ///< of the noise variance
};

}  // namespace nomu
