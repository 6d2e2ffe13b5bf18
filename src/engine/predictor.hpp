#pragma once
// Networks that are asked again and again, as a search does: with an engine whose memory is not the host's, their
// parameters are copied there once instead of for every prediction.

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/plan.hpp"
#include "engine/session.hpp"
#include "nomu/core/tensor.hpp"
#include "nomu/engine/engine.hpp"

namespace nomu::engine {

/// Networks with their parameters where the engine computes.
class Predictor {
 public:
  Predictor() = default;
  Predictor(const Predictor&) = delete;
  Predictor& operator=(const Predictor&) = delete;
  Predictor(Predictor&&) = delete;
  Predictor& operator=(Predictor&&) = delete;
  virtual ~Predictor() = default;

  /// The very numbers of Engine::predict.
  [[nodiscard]] virtual Tensor<float> predict(const Tensor<float>& x, const DropoutPass& dropout,
                                              const std::vector<std::uint64_t>& seeds) = 0;
};

/// What an engine with memory of its own can do besides.
class KeepsParameters {
 public:
  KeepsParameters() = default;
  KeepsParameters(const KeepsParameters&) = delete;
  KeepsParameters& operator=(const KeepsParameters&) = delete;
  KeepsParameters(KeepsParameters&&) = delete;
  KeepsParameters& operator=(KeepsParameters&&) = delete;
  virtual ~KeepsParameters() = default;

  /// Null where they would take more than half of the room there is. Networks and parameters are copied.
  [[nodiscard]] virtual std::unique_ptr<Predictor> keep(const Networks& networks, const Tensor<float>& parameters) = 0;
};

/// Engine::predict for networks that may be asked often: from the second question on their parameters stay in the
/// engine's memory. One question takes up no memory for longer than itself. May be asked from several threads.
class RepeatedPredictions {
 public:
  /// `x` [1 or M][q][d], networks and parameters [M][1][P] as Engine::predict takes them, always the same.
  [[nodiscard]] Tensor<float> operator()(Engine& engine, const Networks& networks, const Tensor<float>& parameters,
                                         const Tensor<float>& x, const DropoutPass& dropout = {},
                                         const std::vector<std::uint64_t>& seeds = {});

 private:
  std::mutex mutex_;
  std::unique_ptr<Predictor> kept_;
  bool asked_ = false;
};

}  // namespace nomu::engine
