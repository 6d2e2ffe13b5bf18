#pragma once
// Networks that predict again and again, as in a search: an engine with memory of its own gets their parameters once
// instead of for every prediction.

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/backend.hpp"
#include "engine/plan.hpp"
#include "engine/session.hpp"
#include "nomu/core/tensor.hpp"
#include "nomu/engine/engine.hpp"

namespace nomu::engine {

/// Backend::predict for networks that may predict often: from the second call on, their parameters stay in the engine's
/// memory. A single call keeps nothing there. May be called from several threads.
class RepeatedPredictions {
 public:
  /// `x` [1 or M][q][d], networks and parameters [M][1][P] as Backend::predict takes them, the same in every call.
  [[nodiscard]] Tensor<float> operator()(Engine& engine, const Networks& networks, const Tensor<float>& parameters,
                                         const Tensor<float>& x, const DropoutPass& dropout = {},
                                         const std::vector<std::uint64_t>& seeds = {});

 private:
  std::mutex mutex_;
  std::unique_ptr<Predictor> kept_;
  bool asked_ = false;
};

}  // namespace nomu::engine
