#include "report/study/study_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/page/view.hpp"

namespace nomu {
namespace {

constexpr std::size_t most_slices = 6;
constexpr std::size_t slice_points = 61;
constexpr std::size_t map_points = 31;

struct Slice {
  std::size_t variable;
  std::vector<double> values;       // of the variable
  std::vector<double> mean, sigma;  // in the units of the result
  double effect;                    // how far the mean moves
};

/// The model at points, in the units of the result.
void predict(const Space& space, const Study::Fitted& fitted, const std::vector<Point>& points,
             std::vector<double>& mean, std::vector<double>& sigma) {
  Tensor<float> x(1, points.size(), space.inputs());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::vector<double> inputs = space.to_inputs(points[i]);
    for (std::size_t j = 0; j < inputs.size(); ++j) x(0, i, j) = static_cast<float>(inputs[j]);
  }
  const Prediction prediction = fitted.model->predict(x);
  const double half = 0.5 * (fitted.high - fitted.low);
  for (std::size_t i = 0; i < points.size(); ++i) {
    mean.push_back(fitted.low + half * (static_cast<double>(prediction.mean(0, i, 0)) + 1.0));
    sigma.push_back(std::abs(half) * fitted.c * static_cast<double>(prediction.sigma_model(0, i, 0)));
  }
}

Slice slice_of(const Space& space, const Study::Fitted& fitted, const Point& centre, std::size_t variable) {
  Slice slice{.variable = variable, .values = {}, .mean = {}, .sigma = {}, .effect = 0.0};
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
  predict(space, fitted, points, slice.mean, slice.sigma);
  const auto [low, high] = std::minmax_element(slice.mean.begin(), slice.mean.end());
  slice.effect = *high - *low;
  return slice;
}

PlotAxis axis_of(const Variable& v) {
  PlotAxis axis{.label = short_name(v.name)};
  if (v.kind == Variable::Kind::categorical) axis.names = v.choices;
  if (v.log) axis.scale = AxisScale::log10;
  return axis;
}

NamedPlot slice_figure(const Space& space, const Slice& slice, const Point& centre) {
  const Variable& v = space.variables()[slice.variable];
  std::vector<double> lower;
  std::vector<double> upper;
  for (std::size_t i = 0; i < slice.mean.size(); ++i) {
    lower.push_back(slice.mean[i] - slice.sigma[i]);
    upper.push_back(slice.mean[i] + slice.sigma[i]);
  }
  NamedPlot figure{.name = "slice_" + v.name,
                   .plot = {},
                   .caption = fmt::format(
                       "The model along {} through the best point; the band is the uncertainty that the search adds.",
                       short_name(v.name))};
  figure.plot.x = axis_of(v);
  figure.plot.y.label = "value";
  if (v.kind == Variable::Kind::categorical) {
    figure.plot.layers.emplace_back(
        PlotPoints{.x = slice.values, .y = slice.mean, .lower = lower, .upper = upper, .color = PlotColor::blue});
  } else {
    figure.plot.layers.emplace_back(
        PlotBand{.x = slice.values, .lower = lower, .upper = upper, .color = PlotColor::blue});
    figure.plot.layers.emplace_back(PlotLine{.x = slice.values, .y = slice.mean, .color = PlotColor::blue});
  }
  figure.plot.layers.emplace_back(PlotRule{.direction = PlotDirection::vertical, .at = centre[slice.variable]});
  return figure;
}

NamedPlot map_figure(const Space& space, const Study::Fitted& fitted, const Point& centre,
                     const std::vector<Trial>& trials, std::size_t a, std::size_t b) {
  std::vector<Point> points;
  std::vector<double> unit = space.to_unit(centre);
  for (std::size_t row = 0; row < map_points; ++row) {
    for (std::size_t col = 0; col < map_points; ++col) {
      unit[a] = (static_cast<double>(col) + 0.5) / static_cast<double>(map_points);
      unit[b] = (static_cast<double>(row) + 0.5) / static_cast<double>(map_points);
      Point point = centre;
      const Point at = space.from_unit(unit);
      point[a] = at[a];
      point[b] = at[b];
      points.push_back(std::move(point));
    }
  }
  PlotHeatMap map{.cols = map_points, .color = {.label = "value"}};
  std::vector<double> sigma;
  predict(space, fitted, points, map.values, sigma);
  const Variable& va = space.variables()[a];
  const Variable& vb = space.variables()[b];
  map.x = {va.low, va.high};
  map.y = {vb.low, vb.high};
  constexpr std::size_t most_marks = 500;
  PlotPoints evaluated{.name = "trials", .color = PlotColor::ink};
  PlotPoints failed{.name = "failed", .color = PlotColor::red, .marker = PlotMarker::cross};
  for (const Trial& trial : trials) {
    if (trial.state == TrialState::pending) continue;
    PlotPoints& marks = trial.value ? evaluated : failed;
    if (marks.x.size() >= most_marks) continue;
    marks.x.push_back(trial.point[a]);
    marks.y.push_back(trial.point[b]);
  }
  NamedPlot figure{.name = "map",
                   .plot = {},
                   .caption = fmt::format("The model over {} and {}, with everything else as in the best point.",
                                          short_name(va.name), short_name(vb.name))};
  figure.plot.x = axis_of(va);
  figure.plot.y = axis_of(vb);
  figure.plot.layers.emplace_back(std::move(map));
  figure.plot.layers.emplace_back(std::move(evaluated));
  if (!failed.x.empty()) figure.plot.layers.emplace_back(std::move(failed));
  return figure;
}

}  // namespace

std::vector<NamedPlot> model_figures(const Space& space, const Study::Fitted& fitted, const Point& centre,
                                     const std::vector<Trial>& trials) {
  std::vector<Slice> slices;
  for (std::size_t j = 0; j < space.size(); ++j) slices.push_back(slice_of(space, fitted, centre, j));
  std::stable_sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) { return a.effect > b.effect; });
  std::vector<NamedPlot> figures;
  std::vector<std::size_t> numeric;
  for (const Slice& slice : slices) {
    if (figures.size() < most_slices) figures.push_back(slice_figure(space, slice, centre));
    if (space.variables()[slice.variable].kind != Variable::Kind::categorical) numeric.push_back(slice.variable);
  }
  if (numeric.size() >= 2) figures.push_back(map_figure(space, fitted, centre, trials, numeric[0], numeric[1]));
  return figures;
}

}  // namespace nomu
