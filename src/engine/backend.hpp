#pragma once
// What the library asks of the hardware behind an Engine. The reference, CPU and CUDA engines implement it.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/plan.hpp"
#include "engine/session.hpp"
#include "nomu/core/tensor.hpp"
#include "nomu/engine/engine.hpp"

namespace nomu::engine {

/// The least time a step of one network (pair) could take here, measured; zeros if the engine does not measure it.
struct Roofline {
  double products_seconds = 0.0;  ///< its matrix products alone, in the fastest of several cuts
  double state_seconds = 0.0;     ///< one pass over parameters and moments
};

/// Networks whose parameters stay where the engine computes.
class Predictor {
 public:
  Predictor() = default;
  Predictor(const Predictor&) = delete;
  Predictor& operator=(const Predictor&) = delete;
  Predictor(Predictor&&) = delete;
  Predictor& operator=(Predictor&&) = delete;
  virtual ~Predictor() = default;

  /// The same numbers as Backend::predict.
  [[nodiscard]] virtual Tensor<float> predict(const Tensor<float>& x, const DropoutPass& dropout,
                                              const std::vector<std::uint64_t>& seeds) = 0;
};

class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  Backend(Backend&&) = delete;
  Backend& operator=(Backend&&) = delete;
  virtual ~Backend() = default;

  [[nodiscard]] virtual EngineInfo info() const = 0;

  /// Peak number of bytes that training the plan needs; nothing is allocated.
  [[nodiscard]] virtual std::size_t memory_needed(const TrainPlan& plan) const = 0;

  /// How many of the plan's members can be trained at the same time; at least one.
  [[nodiscard]] virtual std::size_t members_at_once(const TrainPlan& plan) const { return plan.members(); }

  /// Starts training a plan; throws ConfigError or DataError for an impossible one and DeviceError, naming the figure,
  /// for one that needs more memory than there is.
  [[nodiscard]] virtual std::unique_ptr<Session> open(const TrainPlan& plan) = 0;

  /// Network outputs [M][q][K] for x [1 or M][q][d] and parameters [M][1][P]; `seeds` [M] matter for dropout passes
  /// only. If `shares_rows`, x may have any number of members that divides M, each for as many networks in a row.
  [[nodiscard]] virtual Tensor<float> predict(const Networks& networks, const Tensor<float>& parameters,
                                              const Tensor<float>& x, const DropoutPass& dropout,
                                              const std::vector<std::uint64_t>& seeds) = 0;

  [[nodiscard]] virtual bool shares_rows() const { return false; }

  /// Whether the engine has memory of its own, to which `predict` copies the parameters every time.
  [[nodiscard]] virtual bool has_own_memory() const { return false; }

  /// Copies networks and parameters to the engine's own memory; null if they would take more than half of what is
  /// free, or if there is no such memory.
  [[nodiscard]] virtual std::unique_ptr<Predictor> keep(const Networks& /*networks*/,
                                                        const Tensor<float>& /*parameters*/) {
    return nullptr;
  }

  /// A second backend of the same kind, for a caller that works beside this one's on threads it leaves idle; null if it
  /// serves one caller at a time.
  [[nodiscard]] virtual std::unique_ptr<Backend> beside(std::size_t /*threads*/) const { return nullptr; }

  /// Measures how fast a step of this plan could be on this machine at best.
  [[nodiscard]] virtual Roofline roofline(const TrainPlan& /*plan*/) { return {}; }
};

}  // namespace nomu::engine
