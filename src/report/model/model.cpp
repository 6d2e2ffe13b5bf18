// What the model predicts over one or two numeric inputs; inputs.cpp draws more of them.

#include <fmt/format.h>

#include <algorithm>

#include "report/model/figures.hpp"
#include "report/page/view.hpp"

namespace nomu {
namespace {

/// Share of the data's range drawn beyond the data, to show that the bounds widen there.
constexpr double margin = 0.15;

/// Ends of an axis; an input that is the same in every row gets some width.
PlotRange axis_range(const ReportBox& box, std::size_t j) {
  const double width = box.high[j] - box.low[j];
  if (width > 0.0) return {.low = box.low[j], .high = box.high[j]};
  const double room = std::max(0.5, 0.1 * std::abs(box.low[j]));
  return {.low = box.low[j] - room, .high = box.high[j] + room};
}

std::vector<double> column(std::span<const double> inputs, std::size_t cols, std::size_t j) {
  std::vector<double> values;
  for (std::size_t i = j; i < inputs.size(); i += cols) values.push_back(inputs[i]);
  return values;
}

NamedPlot line_figure(const ReportSubject& subject) {
  constexpr std::size_t points = 401;
  constexpr std::size_t marks = 800;
  const DataSet& data = subject.data;
  const PlotRange range = axis_range(data_box(data, margin), 0);
  const std::vector<double> x = evenly_spaced(range.low, range.high, points);
  const ReportBand band = report_band(subject, x);
  const std::vector<std::size_t> rows = thinned_rows(data.rows(), marks);
  Plot plot{.title = pair_title(data.target_name, "over", data.input_names[0]),
            .x = {.label = short_name(data.input_names[0]), .dates = is_date(data, 0)},
            .y = {.label = short_name(data.target_name)}};
  add_band_layers(plot, subject, x, band);
  plot.layers.emplace_back(PlotPoints{.name = "training rows",
                                      .x = select_rows(data.inputs, rows),
                                      .y = select_rows(data.targets, rows),
                                      .color = PlotColor::ink});
  NamedPlot figure{
      .name = "bounds",
      .plot = std::move(plot),
      .caption = fmt::format("The line is the prediction, {} The points are the rows it was fitted on{}; beyond them "
                             "the band should widen on either side.",
                             band.noise ? "the dark band what the model does not know for lack of data, the light band "
                                          "the bounds, which also include the noise of the data."
                                        : "the band its bounds: what the model does not know for lack of data.",
                             drawn_note(rows.size(), data.rows()))};
  std::vector<double> shown = band.mean;
  shown.insert(shown.end(), data.targets.begin(), data.targets.end());
  limit_to_neighbourhood(figure, shown, band.lower, band.upper);
  return figure;
}

/// Predictions on a regular grid over two inputs.
struct GridPrediction {
  static constexpr std::size_t cells = 56;
  PlotRange x;
  PlotRange y;
  ReportBand band = {};
  std::vector<double> sigma_noise = {};  ///< calibrated
};

GridPrediction predict_grid(const ReportSubject& subject) {
  const ReportBox box = data_box(subject.data, margin);
  GridPrediction grid{.x = axis_range(box, 0), .y = axis_range(box, 1)};
  std::vector<double> points;
  for (std::size_t i = 0; i < GridPrediction::cells; ++i) {
    for (std::size_t j = 0; j < GridPrediction::cells; ++j) {
      points.push_back(std::lerp(grid.x.low, grid.x.high, (static_cast<double>(j) + 0.5) / GridPrediction::cells));
      points.push_back(std::lerp(grid.y.low, grid.y.high, (static_cast<double>(i) + 0.5) / GridPrediction::cells));
    }
  }
  grid.band = report_band(subject, points);
  grid.sigma_noise = subject.predict(points).sigma_noise;
  for (double& sigma : grid.sigma_noise) sigma *= subject.calibration.c_noise;
  return grid;
}

/// Texts of a heat map; `meaning` explains the colour, `label` is for the colour bar.
struct HeatMapText {
  std::string name;
  std::string title;
  std::string label;
  std::string meaning;
};

NamedPlot heat_figure(const ReportSubject& subject, const GridPrediction& grid, std::vector<double> values,
                      HeatMapText text) {
  constexpr std::size_t marks = 300;
  const DataSet& data = subject.data;
  const std::vector<std::size_t> rows = thinned_rows(data.rows(), marks);
  const std::vector<double> inputs = select_rows(data.inputs, rows, 2);
  Plot plot{.title = std::move(text.title),
            .x = {.label = short_name(data.input_names[0]), .dates = is_date(data, 0)},
            .y = {.label = short_name(data.input_names[1]), .dates = is_date(data, 1)}};
  plot.layers.emplace_back(PlotHeatMap{.values = std::move(values),
                                       .cols = GridPrediction::cells,
                                       .x = grid.x,
                                       .y = grid.y,
                                       .color = {.label = std::move(text.label)}});
  plot.layers.emplace_back(PlotPoints{
      .name = "training rows", .x = column(inputs, 2, 0), .y = column(inputs, 2, 1), .color = PlotColor::ink});
  return {.name = std::move(text.name),
          .plot = std::move(plot),
          .caption = fmt::format("{} The points are the rows it was fitted on{}.", text.meaning,
                                 drawn_note(rows.size(), data.rows()))};
}

std::vector<NamedPlot> grid_figures(const ReportSubject& subject) {
  GridPrediction grid = predict_grid(subject);
  const std::string target = short_name(subject.data.target_name, 14.0);
  std::vector<NamedPlot> figures;
  figures.push_back(heat_figure(subject, grid, grid.band.mean,
                                {.name = "mean",
                                 .title = fmt::format("Predicted mean of {}", target),
                                 .label = target,
                                 .meaning = "The colour is the prediction at each pair of inputs."}));
  figures.push_back(heat_figure(subject, grid, grid.band.sigma_model,
                                {.name = "sigma_model",
                                 .title = fmt::format("Model uncertainty of {}", target),
                                 .label = "sigma",
                                 .meaning = "The colour is one standard deviation of model uncertainty: it should be "
                                            "small at the points and grow in the gaps and beyond the data."}));
  if (grid.sigma_noise.empty()) return figures;
  figures.push_back(heat_figure(subject, grid, std::move(grid.sigma_noise),
                                {.name = "sigma_noise",
                                 .title = fmt::format("Data noise of {}", target),
                                 .label = "sigma",
                                 .meaning = "The colour is one standard deviation of the noise in the data itself, "
                                            "which more rows cannot remove."}));
  return figures;
}

}  // namespace

std::vector<NamedPlot> model_figures(const ReportSubject& subject) {
  const std::size_t cols = subject.data.cols();
  const auto is_number = [](const FeatureColumn& column) {
    return column.kind == ColumnKind::number && !column.missing;
  };
  if (cols > 2 || !std::ranges::all_of(subject.data.features, is_number)) return input_figures(subject);
  if (cols == 2) return grid_figures(subject);
  std::vector<NamedPlot> figures;
  figures.push_back(line_figure(subject));
  return figures;
}

}  // namespace nomu
