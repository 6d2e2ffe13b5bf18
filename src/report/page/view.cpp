#include "report/page/view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "nomu/core/random.hpp"
#include "report/plot/text.hpp"

namespace nomu {
namespace {

double noise_at(const PredictedRows& rows, std::size_t i) {
  return rows.sigma_noise.empty() ? 0.0 : rows.sigma_noise[i];
}

/// The share of a bound's distance from the mean that remains without the data noise.
double model_share(const Calibration& calibration, double sigma_model, double sigma_noise) {
  const double model = calibration.c_model * sigma_model;
  const double total = std::hypot(model, calibration.c_noise * sigma_noise);
  return total > 0.0 ? model / total : 1.0;
}

}  // namespace

bool claims_level(const ReportSubject& subject) {
  return subject.calibration.kind != CalibrationKind::none && subject.calibration.kind != CalibrationKind::width;
}

std::string number_text(double value) {
  const double magnitude = std::abs(value);
  if (magnitude >= 1e4 && magnitude < 1e6) return fmt::format("{:.0f}", value);
  return fmt::format("{:.4g}", value);
}

std::string bounds_label(const ReportSubject& subject) {
  if (claims_level(subject)) return fmt::format("bounds of level {}", percent(subject.level));
  return subject.calibration.kind == CalibrationKind::none ? "mean \u2213 sigma (not calibrated)"
                                                           : "bounds of set width (no level)";
}

std::string short_name(std::string_view name, double width) { return fitted_text(name, width, 1.0); }

std::string pair_title(std::string_view first, std::string_view between, std::string_view second) {
  constexpr double width = 14.0;
  return fmt::format("{} {} {}", short_name(first, width), between, short_name(second, width));
}

ReportBand report_band(const ReportSubject& subject, std::span<const double> points) {
  const PredictedRows rows = subject.predict(points);
  const Bounds bounds =
      claims_level(subject) ? subject.bounds(points, subject.level) : make_bounds(rows, subject.calibration);
  ReportBand band{.mean = rows.mean,
                  .lower = bounds.lower,
                  .upper = bounds.upper,
                  .model_lower = bounds.lower,
                  .model_upper = bounds.upper,
                  .sigma_model = std::vector<double>(rows.rows()),
                  .noise = !rows.sigma_noise.empty()};
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const double above = rows.sigma_model[i];
    const double below = rows.sigma_below.empty() ? above : rows.sigma_below[i];
    band.sigma_model[i] = subject.calibration.c_model * 0.5 * (above + below);
    const double noise = noise_at(rows, i);
    band.model_upper[i] =
        rows.mean[i] + model_share(subject.calibration, above, noise) * (bounds.upper[i] - rows.mean[i]);
    band.model_lower[i] =
        rows.mean[i] - model_share(subject.calibration, below, noise) * (rows.mean[i] - bounds.lower[i]);
  }
  return band;
}

void add_band_layers(Plot& plot, const ReportSubject& subject, const std::vector<double>& x, const ReportBand& band) {
  plot.layers.emplace_back(PlotBand{.name = bounds_label(subject),
                                    .x = x,
                                    .lower = band.lower,
                                    .upper = band.upper,
                                    .color = band.noise ? PlotColor::sky : PlotColor::blue,
                                    .opacity = 0.28});
  if (band.noise) {
    plot.layers.emplace_back(PlotBand{.name = "model uncertainty alone",
                                      .x = x,
                                      .lower = band.model_lower,
                                      .upper = band.model_upper,
                                      .color = PlotColor::blue,
                                      .opacity = 0.35});
  }
  plot.layers.emplace_back(PlotLine{.name = "mean", .x = x, .y = band.mean, .color = PlotColor::blue});
}

void limit_to_neighbourhood(NamedPlot& figure, std::span<const double> values, std::span<const double> lower,
                            std::span<const double> upper) {
  const auto [least, most] = std::ranges::minmax(values);
  const double room = most - least;
  const double low = std::ranges::min(lower);
  const double high = std::ranges::max(upper);
  if (!(room > 0.0) || (low >= least - room && high <= most + room)) return;
  constexpr double padding = 0.05;
  figure.plot.y.range = PlotRange{std::max(std::min(low, least), least - room) - padding * room,
                                  std::min(std::max(high, most), most + room) + padding * room};
  figure.caption += " Bounds beyond the edge of the plot are cut off.";
}

std::vector<std::size_t> thinned_rows(std::size_t count, std::size_t limit) {
  // A sample rather than every k-th row: tables are often sorted or periodic.
  std::vector<std::size_t> rows = Random(0, 0x7e90).permutation(count);
  rows.resize(std::min(count, limit));
  std::ranges::sort(rows);
  return rows;
}

std::vector<double> select_rows(std::span<const double> values, std::span<const std::size_t> rows, std::size_t cols) {
  std::vector<double> part;
  part.reserve(rows.size() * cols);
  for (const std::size_t i : rows) {
    const std::span<const double> row = values.subspan(i * cols, cols);
    part.insert(part.end(), row.begin(), row.end());
  }
  return part;
}

ReportBox data_box(const DataSet& data, double margin) {
  const std::span<const double> first = data.row(0);
  ReportBox box{.low = {first.begin(), first.end()}, .high = {first.begin(), first.end()}};
  for (std::size_t i = 0; i < data.inputs.size(); ++i) {
    const std::size_t j = i % data.cols();
    box.low[j] = std::min(box.low[j], data.inputs[i]);
    box.high[j] = std::max(box.high[j], data.inputs[i]);
  }
  for (std::size_t j = 0; j < data.cols(); ++j) {
    const double reach = margin * (box.high[j] - box.low[j]);
    box.low[j] -= reach;
    box.high[j] += reach;
  }
  return box;
}

std::vector<double> evenly_spaced(double low, double high, std::size_t count) {
  std::vector<double> line(count);
  for (std::size_t i = 0; i < count; ++i) {
    line[i] = std::lerp(low, high, static_cast<double>(i) / static_cast<double>(count - 1));
  }
  return line;
}

std::string drawn_note(std::size_t drawn, std::size_t all) {
  return drawn < all ? fmt::format(" ({} of {} drawn)", drawn, all) : "";
}

bool is_date(const DataSet& data, std::size_t input) {
  std::size_t first = 0;
  for (const FeatureColumn& column : data.features) {
    if (first == input) return column.kind == ColumnKind::date;
    first += input_count(column);
  }
  return false;
}

}  // namespace nomu
