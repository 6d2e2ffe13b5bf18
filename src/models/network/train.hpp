#pragma once
// The trainer that all network methods use: runs a plan to its end, reports progress, and restarts diverged members.

#include <vector>

#include "engine/monitor.hpp"
#include "engine/plan.hpp"
#include "nomu/core/progress.hpp"
#include "nomu/core/tensor.hpp"
#include "nomu/engine/engine.hpp"
#include "nomu/models/fitted.hpp"

namespace nomu {

struct Trained {
  Tensor<float> parameters;  ///< [M][1][P]
  std::vector<FitReport> reports;
};

/// Trains the plan for train.epochs epochs. Members that diverge are trained again from derived seeds, at most
/// train.restarts times; those that still diverge are marked in their reports.
[[nodiscard]] Trained train(const engine::TrainPlan& plan, Engine& engine, const Progress& progress);

}  // namespace nomu
