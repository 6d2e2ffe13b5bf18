#pragma once
/// One HTML page about a study that opens offline: how the best value improved, what the model predicts around the best
/// point, and the history.

#include <string>

#include "nomu/bo/study.hpp"
#include "nomu/core/progress.hpp"

namespace nomu {

struct OptimizationReportSpec {
  std::string title = "study";
  std::string date = {};
  std::optional<double> optimum = {};           ///< if known, regret is drawn instead of the best value
  std::vector<std::vector<Trial>> others = {};  ///< trials of other studies of the same function, drawn as their mean
  bool model = true;                            ///< fit a model and draw its slices and maps
};

/// Does not change the study. Throws DataError when no trial has a result yet, or one beats `optimum` in a study
/// without noise.
[[nodiscard]] std::string render_optimization_report(const Study& study, const OptimizationReportSpec& spec,
                                                     const Progress& progress = {});

}  // namespace nomu
