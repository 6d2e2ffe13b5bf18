#pragma once
/// What the model of a study predicts, in the units of the result.

#include <vector>

#include "nomu/bo/study.hpp"

namespace nomu {

struct PredictedResults {
  std::vector<double> mean = {};
  std::vector<double> sigma = {};  ///< the uncertainty that the search adds
};

[[nodiscard]] PredictedResults predict_results(const Space& space, const Study::Fitted& fitted,
                                               const std::vector<Point>& points);

/// The model along one variable.
struct StudySlice {
  std::size_t variable = 0;
  std::vector<double> values = {};  ///< of the variable
  std::vector<double> mean = {}, sigma = {};
  double effect = 0.0;  ///< how far the mean moves
};

/// With all other variables as in `centre`.
[[nodiscard]] StudySlice slice_of(const Space& space, const Study::Fitted& fitted, const Point& centre,
                                  std::size_t variable);

}  // namespace nomu
