// What the model predicts over many inputs: which of them matter, how the mean changes with those, and whether sigma
// grows with the distance to the data.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "nomu/core/random.hpp"
#include "nomu/eval/statistics.hpp"
#include "report/model/figures.hpp"
#include "report/page/view.hpp"

namespace nomu {
namespace {

constexpr double margin = 0.15;
constexpr std::uint64_t seed = 0;

/// Columns of names, and every other input.
std::vector<InputImportance> columns_of(const DataSet& data) {
  std::vector<InputImportance> columns;
  std::size_t first = 0;
  for (const FeatureColumn& feature : data.features) {
    if (feature.kind == ColumnKind::names) {
      columns.push_back({.name = feature.name, .levels = feature.levels, .first = first});
      if (feature.unknown) columns.back().levels.emplace_back("other names");
      if (feature.missing) columns.back().levels.emplace_back("missing");
      first += columns.back().inputs();
      continue;
    }
    for (std::string& name : input_names(feature))
      columns.push_back({.name = std::move(name), .levels = {}, .first = first++});
  }
  return columns;
}

/// Points between training rows and random points of a box around the data. They cover every distance from 0 up,
/// whereas uniform points in many dimensions would all be far away. Indicators stay as in the row.
std::vector<double> probes(const DataSet& data, const ReportBox& box, std::size_t count) {
  const std::vector<InputBlock> blocks = input_blocks(data);
  Random random(seed, 1);
  std::vector<double> points;
  for (std::size_t p = 0; p < count; ++p) {
    const std::span<const double> row = data.row(random.below(data.rows()));
    const double step = random.uniform();
    for (const InputBlock& block : blocks) {
      for (std::size_t j = block.first; j < block.first + block.size; ++j) {
        const bool fixed = block.names || block.indicator;
        points.push_back(fixed ? row[j] : std::lerp(row[j], random.uniform(box.low[j], box.high[j]), step));
      }
    }
  }
  return points;
}

/// Medians of y over equally large groups of neighbours in x.
PlotLine running_median(const std::vector<double>& x, const std::vector<double>& y) {
  constexpr std::size_t groups = 12;
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return x[i]; });
  PlotLine line{.name = "median", .color = PlotColor::orange};
  for (std::size_t g = 0; g < groups; ++g) {
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(g * order.size() / groups);
    const auto end = order.begin() + static_cast<std::ptrdiff_t>((g + 1) * order.size() / groups);
    if (begin == end) continue;
    const std::vector<std::size_t> group(begin, end);
    line.x.push_back(median(select_rows(x, group)));
    line.y.push_back(median(select_rows(y, group)));
  }
  return line;
}

NamedPlot distance_figure(const ReportSubject& subject) {
  constexpr std::size_t points = 600;
  constexpr std::size_t marks = 200;
  const DataSet& data = subject.data;
  const ReportBox box = data_box(data, margin);
  const std::vector<double> inputs = probes(data, box, points);
  // Large training sets are thinned: the trend matters here, not the exact distance.
  const std::vector<double> train = select_rows(data.inputs, thinned_rows(data.rows(), 20000), data.cols());
  const std::vector<double> distance = distances_to_data(inputs, train, box.low, box.high);
  const std::vector<double> sigma = report_band(subject, inputs).sigma_model;
  const std::vector<std::size_t> rows = thinned_rows(data.rows(), marks);
  const std::vector<double> at_data = report_band(subject, select_rows(data.inputs, rows, data.cols())).sigma_model;
  Plot plot{.title = "Model uncertainty against distance to the data",
            .x = {.label = "distance to the nearest training row"},
            .y = {.label = fmt::format("sigma of {}", short_name(data.target_name))}};
  plot.layers.emplace_back(PlotPoints{.name = "random points", .x = distance, .y = sigma, .color = PlotColor::blue});
  plot.layers.emplace_back(PlotPoints{
      .name = "training rows", .x = std::vector<double>(at_data.size(), 0.0), .y = at_data, .color = PlotColor::ink});
  plot.layers.emplace_back(running_median(distance, sigma));
  return {
      .name = "sigma_distance",
      .plot = std::move(plot),
      .caption =
          "Each blue point lies between a training row and a random point in or around the data; the further from the "
          "data, the larger its model uncertainty should be. Distances are measured in widths of each input's range."};
}

/// Predictions with one column set to each of `values` and everything else as in the background rows. Medians over
/// those rows, because a few that end up far from the data would dominate a mean.
ReportBand dependence(const ReportSubject& subject, const std::vector<double>& background,
                      const InputImportance& column, const std::vector<std::vector<double>>& values) {
  const std::size_t cols = subject.data.cols();
  std::vector<double> points;
  for (const std::vector<double>& value : values) {
    const std::size_t begin = points.size();
    points.insert(points.end(), background.begin(), background.end());
    for (std::size_t i = begin + column.first; i < points.size(); i += cols) {
      std::ranges::copy(value, points.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  const ReportBand all = report_band(subject, points);
  const std::size_t rows = background.size() / cols;
  const auto typical = [&](const std::vector<double>& each) {
    std::vector<double> medians;
    for (std::size_t v = 0; v < values.size(); ++v) {
      medians.push_back(median(std::span<const double>(each).subspan(v * rows, rows)));
    }
    return medians;
  };
  return {.mean = typical(all.mean),
          .lower = typical(all.lower),
          .upper = typical(all.upper),
          .model_lower = typical(all.model_lower),
          .model_upper = typical(all.model_upper),
          .sigma_model = {},
          .noise = all.noise};
}

ReportBand add_number_layers(Plot& plot, const ReportSubject& subject, const std::vector<double>& background,
                             const InputImportance& column) {
  constexpr std::size_t points = 41;
  constexpr std::size_t marks = 300;
  const DataSet& data = subject.data;
  const ReportBox box = data_box(data, 0.05);
  const std::vector<double> x = evenly_spaced(box.low[column.first], box.high[column.first], points);
  std::vector<std::vector<double>> values;
  values.reserve(points);
  for (const double value : x) values.push_back({value});
  ReportBand band = dependence(subject, background, column, values);
  const std::vector<std::size_t> rows = thinned_rows(data.rows(), marks);
  std::vector<double> train_x;
  train_x.reserve(rows.size());
  for (const std::size_t i : rows) train_x.push_back(data.row(i)[column.first]);
  plot.layers.emplace_back(PlotPoints{
      .name = "training rows", .x = train_x, .y = select_rows(data.targets, rows), .color = PlotColor::grey});
  add_band_layers(plot, subject, x, band);
  return band;
}

/// The most frequent levels first, at most `limit`.
std::vector<std::size_t> frequent_levels(const DataSet& data, const InputImportance& column, std::size_t limit) {
  std::vector<double> rows(column.inputs(), 0.0);
  for (std::size_t i = 0; i < data.rows(); ++i) {
    for (std::size_t k = 0; k < column.inputs(); ++k) rows[k] += data.row(i)[column.first + k];
  }
  std::vector<std::size_t> order(column.inputs());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t k) { return rows[k]; });
  order.resize(std::min(order.size(), limit));
  return order;
}

ReportBand add_level_layers(Plot& plot, const ReportSubject& subject, const std::vector<double>& background,
                            const InputImportance& column) {
  constexpr std::size_t most = 8;
  std::vector<std::vector<double>> values;
  std::vector<double> x;
  for (const std::size_t k : frequent_levels(subject.data, column, most)) {
    values.emplace_back(column.inputs(), 0.0);
    values.back()[k] = 1.0;
    x.push_back(static_cast<double>(x.size()));
    plot.x.names.push_back(short_name(column.levels[k]));
  }
  ReportBand band = dependence(subject, background, column, values);
  plot.layers.emplace_back(PlotPoints{.name = bounds_label(subject),
                                      .x = x,
                                      .y = band.mean,
                                      .lower = band.lower,
                                      .upper = band.upper,
                                      .color = PlotColor::blue});
  return band;
}

NamedPlot dependence_figure(const ReportSubject& subject, const InputImportance& column, std::size_t place) {
  constexpr std::size_t background_rows = 60;
  const DataSet& data = subject.data;
  const std::vector<std::size_t> rows = thinned_rows(data.rows(), background_rows);
  const std::vector<double> background = select_rows(data.inputs, rows, data.cols());
  const std::string name = short_name(column.name);
  Plot plot{.title = pair_title(data.target_name, "along", column.name),
            .x = {.label = name, .dates = is_date(data, column.first)},
            .y = {.label = short_name(data.target_name)}};
  const bool names = !column.levels.empty();
  const ReportBand band = names ? add_level_layers(plot, subject, background, column)
                                : add_number_layers(plot, subject, background, column);
  std::string caption = fmt::format(
      "What the model predicts for a typical row when only {1} is changed: medians of the prediction and its bounds "
      "over {0} training rows.",
      rows.size(), name);
  if (names) {
    caption += fmt::format(" From left to right: {}{}.", fmt::join(plot.x.names, ", "),
                           drawn_note(plot.x.names.size(), column.inputs()));
  }
  NamedPlot figure{.name = fmt::format("input_{}", place), .plot = std::move(plot), .caption = std::move(caption)};
  limit_to_neighbourhood(figure, data.targets, band.lower, band.upper);
  return figure;
}

}  // namespace

std::vector<InputImportance> input_importance(const ReportSubject& subject) {
  constexpr std::size_t most_rows = 500;
  const DataSet& data = subject.data;
  const std::vector<std::size_t> rows = thinned_rows(data.rows(), most_rows);
  const std::vector<double> inputs = select_rows(data.inputs, rows, data.cols());
  const std::vector<double> base = subject.predict(inputs).mean;
  std::vector<InputImportance> columns = columns_of(data);
  for (InputImportance& column : columns) {
    const std::vector<std::size_t> order =
        Random(seed, 2 + static_cast<std::uint32_t>(column.first)).permutation(rows.size());
    std::vector<double> shuffled = inputs;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t j = column.first; j < column.first + column.inputs(); ++j) {
        shuffled[i * data.cols() + j] = inputs[order[i] * data.cols() + j];
      }
    }
    const std::vector<double> moved = subject.predict(shuffled).mean;
    for (std::size_t i = 0; i < rows.size(); ++i) column.change += std::abs(moved[i] - base[i]);
    column.change /= static_cast<double>(rows.size());
  }
  std::ranges::stable_sort(columns, std::greater<>(), &InputImportance::change);
  return columns;
}

std::vector<NamedPlot> input_figures(const ReportSubject& subject) {
  constexpr std::size_t most = 5;
  std::vector<NamedPlot> figures;
  const ReportBox box = data_box(subject.data, 0.0);
  for (const InputImportance& column : input_importance(subject)) {
    if (figures.size() == most) break;
    if (column.levels.empty() && !(box.high[column.first] > box.low[column.first])) continue;  // the same in every row
    figures.push_back(dependence_figure(subject, column, figures.size() + 1));
  }
  figures.push_back(distance_figure(subject));
  return figures;
}

}  // namespace nomu
