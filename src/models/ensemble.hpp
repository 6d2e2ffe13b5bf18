#pragma once
// K networks for each of M problems: one cohort of M K members in, the moments of each problem's K predictions out.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/plan.hpp"
#include "nomu/core/prediction.hpp"
#include "nomu/engine/engine.hpp"
#include "nomu/models/fitted.hpp"

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

/// Seeds of the K networks of each problem, problem by problem.
[[nodiscard]] std::vector<std::uint64_t> network_seeds(std::span<const std::uint64_t> seeds, std::size_t networks);

/// One report a problem from those of its K networks: losses and history averaged, `diverged` where one did.
[[nodiscard]] std::vector<FitReport> reports_of_problems(std::span<const FitReport> reports,
                                                         std::span<const std::uint64_t> seeds);

/// Outputs [M K][q][outputs] of K networks a problem at x [1 or M][q][d].
[[nodiscard]] Tensor<float> outputs_of_networks(Engine& engine, const engine::Networks& networks,
                                                const Tensor<float>& parameters, const Tensor<float>& x,
                                                std::size_t problems);

}  // namespace nomu
