#pragma once
// Third stage: sigma networks on top of the chosen means, and how strongly they count, chosen by evidence.

#include <cstdint>
#include <span>
#include <vector>

#include "models/evidence/rows/folded_rows.hpp"
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

}  // namespace nomu
