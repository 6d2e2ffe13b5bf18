#pragma once
// Algorithm 1 of the paper: which of many networks form the best ensemble on validation rows, chosen greedily and with
// replacement.

#include <cstddef>
#include <span>
#include <vector>

#include "nomu/core/tensor.hpp"

namespace nomu {

struct GreedySpec {
  std::size_t networks = 5;      ///< most distinct ones in the ensemble
  std::size_t most_picks = 50;   ///< including repetitions
  bool published_score = false;  ///< every prediction against every target, a mistake of the published runs
};

/// How often each candidate is picked. `predictions` [1][candidates][rows]. The first has the smallest squared error,
/// since one network has no spread; the second gives the lowest NLL with it; more are added while they lower the NLL.
/// Candidates whose predictions are not finite are picked only if there is no other.
[[nodiscard]] std::vector<std::size_t> pick_ensemble(const Tensor<float>& predictions, std::span<const float> targets,
                                                     const GreedySpec& spec);

}  // namespace nomu
