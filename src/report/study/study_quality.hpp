#pragma once
/// How good the model of a study is: results that it has not seen, compared with its predictions.

#include <vector>

#include "nomu/bo/study.hpp"
#include "nomu/report/report.hpp"

namespace nomu {

/// Results of a study and predictions of models that were fitted without them.
struct UnseenResults {
  std::vector<double> value = {};
  std::vector<double> mean = {};
  std::vector<double> sigma = {};  ///< as the search uses it
  double inside = 0.0;             ///< share of results within one sigma of their prediction
  double explained = 0.0;          ///< share of the variance of the results that the predictions explain
  bool stand_ins = false;          ///< the models are Gaussian processes that stand for that of method auto

  [[nodiscard]] bool empty() const { return value.empty(); }
};

/// Five models, in lock step, each fitted without a fifth of the results. Empty if there are too few results, all are
/// equal, the study uses no model, or a fit diverged. `c` is the factor of sigma in the search. Of many trials only
/// some are used, as for the model of the study.
[[nodiscard]] UnseenResults predict_unseen(const Space& space, const OptimizeSpec& spec,
                                           const std::vector<Trial>& trials, double c, Engine& engine,
                                           const Progress& progress);

/// Predictions against results.
[[nodiscard]] NamedPlot unseen_figure(const UnseenResults& unseen);

}  // namespace nomu
