#pragma once
// Third stage: sigma networks on top of the chosen means, and how strongly they count, chosen by evidence.

#include <cstdint>
#include <span>
#include <vector>

#include "models/evidence/folded_rows.hpp"
#include "models/network/fitted_network.hpp"
#include "models/network/train.hpp"
#include "nomu/models/nomu.hpp"

namespace nomu {

struct SigmaStage {
  Trained trained;
  /// How far unseen rows are from the data, mixed over the kept candidates: 0 for half of them, 1 for artificial
  /// points, [member][row].
  std::vector<std::vector<double>> unseen;
  std::vector<double> raw_near;  ///< [network], median raw sigma of unseen rows
  std::vector<double> raw_far;   ///< [network], typical raw sigma of artificial points
};

/// `front` [networks (member, fold, kept)] holds the parameters of mean and noise.
[[nodiscard]] SigmaStage train_sigmas(const NomuSpec& spec, std::span<const FoldedRows> members, std::size_t kept,
                                      const Tensor<float>& front, Engine& engine, const Progress& progress);

/// How noise and distance from the data make up the deviation of a member's predictions.
struct SigmaShape {
  double start = 0.0;         ///< distance up to which there is no sigma
  double power = 1.0;         ///< how slowly it rises from there
  double far = 1.0;           ///< sigma at distance 1
  double noise_factor = 1.0;  ///< of the noise

  [[nodiscard]] double sigma(double distance) const;
};

/// The shape that predicts errors of unseen rows best, by CRPS. `distance` is 0 at the data and 1 far from them, where
/// sigma is `sigma_far` unless unseen rows at that distance contradict it. Of equally good shapes, the one with the
/// most sigma away from the data: unseen rows say little about gaps, where sigma is needed.
[[nodiscard]] SigmaShape choose_shape(std::span<const double> errors, std::span<const double> noise,
                                      std::span<const double> distance, double sigma_far, std::int64_t threads);

}  // namespace nomu
