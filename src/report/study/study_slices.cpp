#include "report/study/study_slices.hpp"

#include <algorithm>
#include <cmath>

namespace nomu {
namespace {

constexpr std::size_t slice_points = 61;

}  // namespace

PredictedResults predict_results(const Space& space, const Study::Fitted& fitted, const std::vector<Point>& points) {
  Tensor<float> x(1, points.size(), space.inputs());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::vector<double> inputs = space.to_inputs(points[i]);
    for (std::size_t j = 0; j < inputs.size(); ++j) x(0, i, j) = static_cast<float>(inputs[j]);
  }
  const Prediction prediction = fitted.model->predict(x);
  const double half = 0.5 * (fitted.high - fitted.low);
  PredictedResults all;
  for (std::size_t i = 0; i < points.size(); ++i) {
    all.mean.push_back(fitted.low + half * (static_cast<double>(prediction.mean(0, i, 0)) + 1.0));
    all.sigma.push_back(std::abs(half) * fitted.c * static_cast<double>(prediction.sigma_model(0, i, 0)));
  }
  return all;
}

StudySlice slice_of(const Space& space, const Study::Fitted& fitted, const Point& centre, std::size_t variable) {
  StudySlice slice{.variable = variable};
  std::vector<Point> points;
  std::vector<double> unit = space.to_unit(centre);
  for (std::size_t k = 0; k < slice_points; ++k) {
    unit[variable] = static_cast<double>(k) / static_cast<double>(slice_points - 1);
    Point point = centre;
    point[variable] = space.from_unit(unit)[variable];
    if (!slice.values.empty() && slice.values.back() == point[variable]) continue;
    slice.values.push_back(point[variable]);
    points.push_back(std::move(point));
  }
  PredictedResults predicted = predict_results(space, fitted, points);
  slice.mean = std::move(predicted.mean);
  slice.sigma = std::move(predicted.sigma);
  const auto [low, high] = std::minmax_element(slice.mean.begin(), slice.mean.end());
  slice.effect = *high - *low;
  return slice;
}

}  // namespace nomu
