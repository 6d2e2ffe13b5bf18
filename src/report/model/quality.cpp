#include "report/model/quality.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "eval/normal.hpp"
#include "nomu/core/error.hpp"
#include "report/model/figures.hpp"
#include "report/page/view.hpp"

namespace nomu {
namespace {

/// Curves use at most this many rows; tables use all of them.
constexpr std::size_t curve_rows = 4000;

PredictedRows select_predicted(const PredictedRows& all, std::span<const std::size_t> rows) {
  const auto part = [&](const std::vector<double>& values) {
    return values.empty() ? std::vector<double>{} : select_rows(values, rows);
  };
  return {.mean = part(all.mean),
          .sigma_model = part(all.sigma_model),
          .sigma_noise = part(all.sigma_noise),
          .sigma_below = part(all.sigma_below)};
}

NamedPlot predicted_figure(const ReportSubject& subject) {
  constexpr std::size_t marks = 300;
  const ReportRows& judged = *subject.rows;
  const std::vector<std::size_t> rows = thinned_rows(judged.targets.size(), marks);
  const std::vector<double> target = select_rows(judged.targets, rows);
  const std::vector<double> mean = select_rows(judged.predicted.mean, rows);
  const Bounds bounds = drawn_bounds(subject, rows);
  const bool level = judged.fresh && claims_level(subject);
  PlotPoints inside{.name = level ? bounds_label(subject) : "mean \u2213 sigma", .color = PlotColor::blue};
  PlotPoints outside{.name = level ? "target outside" : "", .color = level ? PlotColor::orange : PlotColor::blue};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    PlotPoints& to = bounds.lower[i] <= target[i] && target[i] <= bounds.upper[i] ? inside : outside;
    to.x.push_back(target[i]);
    to.y.push_back(mean[i]);
    to.lower.push_back(bounds.lower[i]);
    to.upper.push_back(bounds.upper[i]);
  }
  const std::string name = short_name(subject.data.target_name);
  const auto [low, high] = std::ranges::minmax(target);
  Plot plot{.title = "Predicted against true",
            .x = {.label = fmt::format("true {}", name)},
            .y = {.label = fmt::format("predicted {}", name)}};
  plot.layers.emplace_back(std::move(inside));
  plot.layers.emplace_back(std::move(outside));
  plot.layers.emplace_back(PlotLine{.name = "exactly right",
                                    .x = {low, high},
                                    .y = {low, high},
                                    .color = PlotColor::ink,
                                    .stroke = PlotStroke::dashed});
  NamedPlot figure{
      .name = "predicted",
      .plot = std::move(plot),
      .caption = fmt::format("Each point is a row{}; the nearer to the dashed line the better, and {}",
                             drawn_note(rows.size(), judged.targets.size()),
                             level ? fmt::format("about {} of the bars should reach it.", percent(subject.level))
                                   : "long bars should go with large errors.")};
  std::vector<double> shown = target;
  shown.insert(shown.end(), mean.begin(), mean.end());
  limit_to_neighbourhood(figure, shown, bounds.lower, bounds.upper);
  return figure;
}

/// Share of rows inside the subject's bounds at every level it supports.
PlotLine bounds_reliability(const ReportRows& judged, std::span<const double> levels) {
  PlotLine line{.name = "bounds of the model", .color = PlotColor::blue};
  for (const double level : levels) {
    try {
      line.y.push_back(coverage(judged.bounds(level), judged.targets));
      line.x.push_back(level);
    } catch (const ConfigError&) {  // a level that this calibration does not support
    }
  }
  return line;
}

/// The same for Gaussian intervals with the calibrated sigma.
PlotLine sigma_reliability(const ReportSubject& subject, std::span<const double> levels) {
  const ReportRows& judged = *subject.rows;
  const std::vector<double> sigma = central_sigma(subject.calibration, judged.predicted);
  PlotLine line{.name = "Gaussian with this sigma", .color = PlotColor::blue};
  for (const double level : levels) {
    line.x.push_back(level);
    line.y.push_back(coverage(judged.predicted.mean, sigma, judged.targets, normal_quantile(0.5 + 0.5 * level)));
  }
  return line;
}

NamedPlot reliability_figure(const ReportSubject& subject) {
  const std::vector<double> levels = evenly_spaced(0.05, 0.95, 19);
  const ReportRows& judged = *subject.rows;
  PlotLine line;
  if (judged.fresh && claims_level(subject)) line = bounds_reliability(judged, levels);
  const bool of_bounds = line.x.size() > 2;
  if (!of_bounds) line = sigma_reliability(subject, levels);
  PlotBand chance{.name = "chance alone", .x = line.x, .color = PlotColor::grey, .opacity = 0.25};
  for (const double level : line.x) {
    const Interval range =
        chance_interval(of_bounds ? subject.calibration : Calibration{}, judged.targets.size(), level);
    chance.lower.push_back(range.lower);
    chance.upper.push_back(range.upper);
  }
  Plot plot{.title = "Reliability",
            .x = {.label = "nominal level", .range = PlotRange{0.0, 1.0}},
            .y = {.label = "share of rows inside", .range = PlotRange{0.0, 1.0}}};
  const PlotPoints dots{.x = line.x, .y = line.y, .color = PlotColor::blue};
  plot.layers.emplace_back(std::move(chance));
  plot.layers.emplace_back(PlotLine{
      .name = "exactly right", .x = {0, 1}, .y = {0, 1}, .color = PlotColor::ink, .stroke = PlotStroke::dashed});
  plot.layers.emplace_back(std::move(line));
  plot.layers.emplace_back(dots);
  std::string caption =
      "The share of rows whose target lies inside the bounds, for each nominal level: below the dashed line the bounds "
      "are too narrow, above it too wide. Inside the grey band the difference may be chance: correct bounds stay "
      "inside it in 19 of 20 samples.";
  if (!of_bounds) {
    caption += claims_level(subject)
                   ? " These are intervals of a Gaussian with the calibrated sigma, not the bounds themselves."
                   : " Nothing is calibrated: these are the intervals of a Gaussian with this sigma.";
  }
  return {.name = "reliability", .plot = std::move(plot), .caption = std::move(caption)};
}

PlotLine width_line(std::string name, const std::vector<CurvePoint>& curve, PlotColor color, PlotStroke stroke) {
  PlotLine line{.name = std::move(name), .color = color, .stroke = stroke};
  for (const CurvePoint& point : curve) {
    line.x.push_back(point.coverage);
    line.y.push_back(point.mean_width);
  }
  return line;
}

/// The upper end of the axis: a few rows missed by far would leave no room for the rest of the curve.
double shown_width(const std::vector<CurvePoint>& curve) {
  double usual = 0.0;
  for (const CurvePoint& point : curve) {
    if (point.coverage <= 0.95) usual = std::max(usual, point.mean_width);
  }
  return usual > 0.0 ? std::min(2.0 * usual, curve.back().mean_width) : curve.back().mean_width;
}

NamedPlot width_figure(const ReportSubject& subject, const ReportQuality& quality) {
  const ReportRows& judged = *subject.rows;
  const std::vector<std::size_t> rows = thinned_rows(judged.targets.size(), curve_rows);
  const std::vector<double> sigma = central_sigma(subject.calibration, select_predicted(judged.predicted, rows));
  const std::vector<double> mean = select_rows(judged.predicted.mean, rows);
  const std::vector<double> target = select_rows(judged.targets, rows);
  const std::vector<CurvePoint> curve = mw_cp_curve(mean, sigma, target);
  const std::vector<CurvePoint> flat = mw_cp_curve(mean, std::vector<double>(sigma.size(), 1.0), target);
  double top = 1.08 * std::max(shown_width(curve), shown_width(flat));
  if (quality.bounds) top = std::max(top, 1.1 * quality.bounds->mean_width);
  Plot plot{.title = "Mean width against coverage",
            .x = {.label = "share of rows inside", .range = PlotRange{0.0, 1.0}},
            .y = {.label = fmt::format("mean width in {}", short_name(subject.data.target_name))}};
  if (top > 0.0) plot.y.range = PlotRange{0.0, top};
  plot.layers.emplace_back(width_line("this model's sigma", curve, PlotColor::blue, PlotStroke::solid));
  plot.layers.emplace_back(width_line("equally wide everywhere", flat, PlotColor::grey, PlotStroke::dashed));
  if (quality.bounds) {
    plot.layers.emplace_back(PlotPoints{.name = bounds_label(subject),
                                        .x = {quality.bounds->coverage},
                                        .y = {quality.bounds->mean_width},
                                        .color = PlotColor::orange,
                                        .marker = PlotMarker::square});
  }
  return {.name = "width_coverage",
          .plot = std::move(plot),
          .caption =
              "How wide the bands must be on average, scaled by a common factor, to contain a given share of the rows. "
              "The lower the better; the dashed curve is what the same predictions would need without knowing where "
              "they are uncertain."};
}

}  // namespace

Interval chance_interval(const Calibration& calibration, std::size_t rows, double level) {
  if (calibration.kind == CalibrationKind::conformal) {
    return conformal_coverage_interval(unit_count(calibration), rows, level);
  }
  const double reach = normal_quantile(0.975) * std::sqrt(level * (1.0 - level) / static_cast<double>(rows));
  return {.lower = std::max(0.0, level - reach), .upper = std::min(1.0, level + reach)};
}

Bounds drawn_bounds(const ReportSubject& subject, std::span<const std::size_t> rows) {
  const ReportRows& judged = *subject.rows;
  if (judged.fresh && claims_level(subject)) {
    const Bounds all = judged.bounds(subject.level);
    return {.lower = select_rows(all.lower, rows), .upper = select_rows(all.upper, rows)};
  }
  return make_bounds(select_predicted(judged.predicted, rows), subject.calibration);
}

ReportQuality measure_quality(const ReportSubject& subject) {
  const ReportRows& judged = *subject.rows;
  ReportQuality quality;
  try {
    const std::vector<double> sigma = central_sigma(subject.calibration, judged.predicted);
    quality.metrics = measure(judged.predicted.mean, sigma, judged.targets);
  } catch (const DataError& error) {  // for example if a sigma is 0 or every target equals its prediction
    quality.fault = error.what();
  }
  if (judged.fresh && claims_level(subject)) {
    const Bounds bounds = judged.bounds(subject.level);
    quality.bounds = {.coverage = coverage(bounds, judged.targets),
                      .mean_width = mean_width(bounds),
                      .interval_score = interval_score(bounds, judged.targets, subject.level),
                      .chance = chance_interval(subject.calibration, judged.targets.size(), subject.level)};
  }
  return quality;
}

std::vector<NamedPlot> quality_figures(const ReportSubject& subject) {
  std::vector<NamedPlot> figures;
  if (!subject.rows) return figures;
  const ReportQuality quality = measure_quality(subject);
  figures.push_back(predicted_figure(subject));
  figures.push_back(reliability_figure(subject));
  // Without metrics there is no curve either: no factor on sigma covers a missed row with sigma 0.
  if (quality.metrics) figures.push_back(width_figure(subject, quality));
  return figures;
}

}  // namespace nomu
