#pragma once
// The one seam between library and hardware: a session trains the members of a plan and returns the results.

#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

#include "engine/layout.hpp"
#include "engine/monitor.hpp"
#include "engine/plan.hpp"
#include "nomu/core/tensor.hpp"

namespace nomu::engine {

/// Everything needed to resume a training run exactly where it stopped; each tensor [M][1][P], empty if unused.
struct TrainState {
  Tensor<float> parameters, first_moment, second_moment, largest_moment, best_parameters;
  std::vector<std::uint32_t> steps;  ///< optimiser steps taken
  std::vector<MemberReport> reports;
};

/// Which random masks a prediction uses.
struct DropoutPass {
  bool active = false;
  std::uint32_t pass = 0;
  std::uint32_t passes = 1;  ///< for Backend::predict: number of passes from `pass` on; outputs are [M][passes q][K]
};

class Session {
 public:
  Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  Session(Session&&) = delete;
  Session& operator=(Session&&) = delete;
  virtual ~Session() = default;

  /// Trains every active member for up to `epochs` further epochs; throws Cancelled once `stop` is requested, leaving
  /// each member between two steps.
  virtual void run(std::int64_t epochs, const std::stop_token& stop) = 0;

  /// Network outputs [M][q][K] for x [1 or M][q][d], with the parameters that `parameters` returns.
  [[nodiscard]] virtual Tensor<float> forward(const Tensor<float>& x, DropoutPass dropout) const = 0;

  /// The parameters that the fit keeps, [M][1][P]: the snapshot if one is taken, otherwise the current ones.
  [[nodiscard]] virtual Tensor<float> parameters() const = 0;

  [[nodiscard]] virtual const std::vector<MemberReport>& reports() const = 0;

  [[nodiscard]] virtual TrainState state() const = 0;
  virtual void restore(const TrainState& state) = 0;
};

}  // namespace nomu::engine
