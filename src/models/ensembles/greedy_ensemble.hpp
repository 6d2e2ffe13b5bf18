#pragma once
// Algorithm 1 of the paper: which of many networks make the best ensemble on validation rows, chosen greedily and with
// replacement.

#include <cstddef>
#include <span>
#include <vector>

#include "nomu/core/tensor.hpp"

namespace nomu {

struct GreedySpec {
  std::size_t networks = 5;      ///< different ones in the ensemble at most
  std::size_t most_picks = 50;   ///< repetitions counted
  bool published_score = false;  ///< every prediction against every target, as a slip of the published runs had it
};

/// How often each candidate is picked. `predictions` [1][candidates][rows]. The first is the one of least squared
/// error, since one network has no spread; the second makes the least NLL with it; more are taken while they lower the
/// NLL. Candidates whose predictions are not finite are never picked while there is another.
[[nodiscard]] std::vector<std::size_t> pick_ensemble(const Tensor<float>& predictions, std::span<const float> targets,
                                                     const GreedySpec& spec);

}  // namespace nomu
