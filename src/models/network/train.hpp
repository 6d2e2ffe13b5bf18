#pragma once
// The one trainer all network methods end in: runs a plan to its end, reports on the way, gives diverged members
// another chance.

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

/// Trains the plan for train.epochs epochs. Members that diverge are trained again from derived seeds, train.restarts
/// times at most; what still diverges is marked in its report.
[[nodiscard]] Trained train(const engine::TrainPlan& plan, Engine& engine, const Progress& progress);

}  // namespace nomu
