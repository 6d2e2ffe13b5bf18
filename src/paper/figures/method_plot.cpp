#include "paper/figures/method_plot.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace nomu {
namespace {

std::vector<double> in_units(const std::optional<Scaling>& units, std::vector<double> values) {
  return units ? units->invert(values) : std::move(values);
}

std::vector<double> evenly_spaced(double low, double high, std::size_t count) {
  std::vector<double> x(count);
  for (std::size_t i = 0; i < count; ++i) {
    x[i] = low + (high - low) * static_cast<double>(i) / static_cast<double>(count - 1);
  }
  return x;
}

void add_truth(const PlotSubject& subject, const std::vector<double>& x, Plot& plot) {
  if (!subject.truth) return;
  std::vector<double> inside;
  std::ranges::copy_if(x, std::back_inserter(inside), [](double v) { return v >= -1.0 && v <= 1.0; });
  plot.layers.emplace_back(PlotLine{.name = "function",
                                    .x = in_units(subject.x_units, inside),
                                    .y = in_units(subject.y_units, subject.truth(inside)),
                                    .color = PlotColor::ink,
                                    .stroke = PlotStroke::dashed});
}

PlotPoints points_of(const PlotSubject& subject, const DataSet& rows, std::string name) {
  return {.name = std::move(name),
          .x = in_units(subject.x_units, rows.inputs),
          .y = in_units(subject.y_units, rows.targets),
          .color = PlotColor::ink};
}

}  // namespace

Tensor<float> as_rows(std::span<const double> x, std::size_t cols) {
  Tensor<float> rows(1, x.size() / cols, cols);
  std::ranges::transform(x, rows.flat().begin(), [](double v) { return static_cast<float>(v); });
  return rows;
}

Plot line_plot(const PlotSubject& subject, const FittedCohort& fitted) {
  const std::vector<double> x = evenly_spaced(-subject.half_range, subject.half_range, 401);
  const Prediction prediction = fitted.predict(as_rows(x, 1));
  std::vector<double> mean;
  std::vector<double> half;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean.push_back(static_cast<double>(prediction.mean(0, i, 0)));
    half.push_back(subject.c * static_cast<double>(prediction.sigma_model(0, i, 0)));
  }
  std::vector<double> lower = mean;
  std::vector<double> upper = mean;
  for (std::size_t i = 0; i < x.size(); ++i) {
    lower[i] -= half[i];
    upper[i] += half[i];
  }
  Plot plot;
  plot.title = subject.title;
  plot.x.label = subject.x_label;
  plot.y.label = subject.y_label;
  const std::vector<double> along = in_units(subject.x_units, x);
  plot.layers.emplace_back(PlotBand{.name = fmt::format("mean -/+ {:.2f} sigma", subject.c),
                                    .x = along,
                                    .lower = in_units(subject.y_units, lower),
                                    .upper = in_units(subject.y_units, upper),
                                    .color = PlotColor::blue});
  plot.layers.emplace_back(
      PlotLine{.name = "mean", .x = along, .y = in_units(subject.y_units, mean), .color = PlotColor::blue});
  if (subject.show_sigma) {
    for (double& value : half) value -= 1.0;  // drawn upwards from the lower end of the targets' range
    plot.layers.emplace_back(PlotLine{.name = fmt::format("{:.2f} sigma", subject.c),
                                      .x = along,
                                      .y = in_units(subject.y_units, half),
                                      .color = PlotColor::sky,
                                      .stroke = PlotStroke::dotted});
  }
  add_truth(subject, x, plot);
  if (subject.test.rows() > 0) {
    PlotPoints test = points_of(subject, subject.test, "test points");
    test.color = PlotColor::red;
    test.marker = PlotMarker::cross;
    plot.layers.emplace_back(std::move(test));
  }
  plot.layers.emplace_back(points_of(subject, subject.train, "training points"));
  return plot;
}

Plot map_plot(const PlotSubject& subject, const FittedCohort& fitted) {
  constexpr std::size_t side = 61;
  constexpr double edge = 1.0;
  const std::vector<double> along = evenly_spaced(-edge, edge, side);
  std::vector<double> x;
  for (const double b : along) {
    for (const double a : along) x.insert(x.end(), {a, b});
  }
  const Prediction prediction = fitted.predict(as_rows(x, 2));
  constexpr double half_cell = edge / static_cast<double>(side - 1);
  PlotHeatMap map{.values = {},
                  .cols = side,
                  .x = {.low = -edge - half_cell, .high = edge + half_cell},
                  .y = {.low = -edge - half_cell, .high = edge + half_cell},
                  .color = {.label = fmt::format("{:.4g} sigma", subject.c)}};
  for (const float sigma : prediction.sigma_model.member(0)) {
    map.values.push_back(subject.c * static_cast<double>(sigma));
  }
  PlotPoints points{.name = "training points", .color = PlotColor::red};
  for (std::size_t i = 0; i < subject.train.rows(); ++i) {
    points.x.push_back(subject.train.row(i)[0]);
    points.y.push_back(subject.train.row(i)[1]);
  }
  Plot plot;
  plot.title = subject.title;
  plot.x.label = "x1";
  plot.y.label = "x2";
  plot.layers.emplace_back(std::move(map));
  plot.layers.emplace_back(std::move(points));
  return plot;
}

}  // namespace nomu
