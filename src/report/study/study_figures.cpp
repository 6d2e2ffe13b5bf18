#include "report/study/study_figures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/page/view.hpp"
#include "report/study/study_slices.hpp"

namespace nomu {
namespace {

constexpr std::size_t most_slices = 6;
constexpr std::size_t map_points = 31;

PlotAxis axis_of(const Variable& v) {
  PlotAxis axis{.label = short_name(label_of(v))};
  if (v.kind == Variable::Kind::categorical) axis.names = v.choices;
  if (v.log) axis.scale = AxisScale::log10;
  return axis;
}

NamedPlot slice_figure(const Space& space, const StudySlice& slice, const Point& centre) {
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

/// Points on a grid over two variables, the rest as in `centre`.
std::vector<Point> map_of(const Space& space, const Point& centre, std::size_t a, std::size_t b) {
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
  return points;
}

/// The marks of trials on a map over two variables.
void add_trials(Plot& plot, const Space& space, const std::vector<Trial>& trials, std::size_t a, std::size_t b) {
  constexpr std::size_t most_marks = 500;
  PlotPoints evaluated{.name = "trials", .color = PlotColor::ink};
  PlotPoints failed{.name = "failed", .color = PlotColor::red, .marker = PlotMarker::cross};
  for (const Trial& trial : trials) {
    if (trial.state == TrialState::pending) continue;
    if (!space.active(a, trial.point) || !space.active(b, trial.point)) continue;
    PlotPoints& marks = trial.value ? evaluated : failed;
    if (marks.x.size() >= most_marks) continue;
    marks.x.push_back(trial.point[a]);
    marks.y.push_back(trial.point[b]);
  }
  plot.layers.emplace_back(std::move(evaluated));
  if (!failed.x.empty()) plot.layers.emplace_back(std::move(failed));
}

/// What the model predicts over two variables, and how sure it is.
std::vector<NamedPlot> map_figures(const Space& space, const Study::Fitted& fitted, const Point& centre,
                                   const std::vector<Trial>& trials, std::size_t a, std::size_t b) {
  const Variable& va = space.variables()[a];
  const Variable& vb = space.variables()[b];
  const PredictedResults predicted = predict_results(space, fitted, map_of(space, centre, a, b));
  const auto map = [&](const char* name, const char* label, const std::vector<double>& values, const char* what) {
    NamedPlot figure{.name = name,
                     .plot = {},
                     .caption = fmt::format("{} over {} and {}, with everything else as in the best point.", what,
                                            short_name(va.name), short_name(vb.name))};
    figure.plot.x = axis_of(va);
    figure.plot.y = axis_of(vb);
    figure.plot.layers.emplace_back(PlotHeatMap{.values = values,
                                                .cols = map_points,
                                                .x = {va.low, va.high},
                                                .y = {vb.low, vb.high},
                                                .color = {.label = label}});
    add_trials(figure.plot, space, trials, a, b);
    return figure;
  };
  return {map("map", "value", predicted.mean, "The model"),
          map("map_uncertainty", "uncertainty", predicted.sigma, "The uncertainty of the model")};
}

}  // namespace

std::vector<NamedPlot> model_figures(const Space& space, const Study::Fitted& fitted, const Point& centre,
                                     const std::vector<Trial>& trials) {
  std::vector<StudySlice> slices;
  for (std::size_t j = 0; j < space.size(); ++j) {
    if (space.active(j, centre)) slices.push_back(slice_of(space, fitted, centre, j));
  }
  std::stable_sort(slices.begin(), slices.end(),
                   [](const StudySlice& a, const StudySlice& b) { return a.effect > b.effect; });
  std::vector<NamedPlot> figures;
  std::vector<std::size_t> numeric;
  for (const StudySlice& slice : slices) {
    if (figures.size() < most_slices) figures.push_back(slice_figure(space, slice, centre));
    if (space.variables()[slice.variable].kind != Variable::Kind::categorical) numeric.push_back(slice.variable);
  }
  if (numeric.size() >= 2) {
    for (NamedPlot& map : map_figures(space, fitted, centre, trials, numeric[0], numeric[1]))
      figures.push_back(std::move(map));
  }
  return figures;
}

}  // namespace nomu
