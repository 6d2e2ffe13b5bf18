#pragma once
/// One HTML page about a study that opens offline: how the best value came down, what the model says around the best
/// point, and the history.

#include <string>

#include "nomu/bo/study.hpp"
#include "nomu/core/progress.hpp"

namespace nomu {

struct OptimizationReportSpec {
  std::string title = "study";
  std::string date = {};
  std::optional<double> optimum = {};           ///< where it is known, regret is drawn instead of the best value
  std::vector<std::vector<Trial>> others = {};  ///< trials of other studies of the same function: a mean with its band
  bool model = true;                            ///< fit a model for slices and maps
};

/// Only reads the study. Throws DataError where no trial has a result.
[[nodiscard]] std::string render_optimization_report(const Study& study, const OptimizationReportSpec& spec,
                                                     const Progress& progress = {});

}  // namespace nomu
