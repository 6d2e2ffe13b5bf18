// The training loss, epoch by epoch.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "nomu/eval/statistics.hpp"
#include "report/model/figures.hpp"
#include "report/page/view.hpp"

namespace nomu {
namespace {

constexpr std::size_t most_lines = 6;  // the number of colours

struct LossRange {
  double low = INFINITY;
  double high = -INFINITY;

  /// Losses that span more than this factor are drawn on a logarithmic axis.
  [[nodiscard]] bool logarithmic() const { return low > 0.0 && high > 20.0 * low; }
};

LossRange loss_range(const std::vector<FitReport>& fits) {
  LossRange range;
  for (const FitReport& fit : fits) {
    for (const float loss : fit.history) {
      if (!std::isfinite(loss)) continue;
      range.low = std::min(range.low, static_cast<double>(loss));
      range.high = std::max(range.high, static_cast<double>(loss));
    }
  }
  return range;
}

PlotLine member_line(const FitReport& fit, std::string name) {
  PlotLine line{.name = std::move(name), .y = {fit.history.begin(), fit.history.end()}};
  for (std::size_t i = 0; i < line.y.size(); ++i) line.x.push_back(static_cast<double>(i + 1));
  return line;
}

/// Smallest, median and largest loss of many members, epoch by epoch.
void add_summary(Plot& plot, const std::vector<FitReport>& fits) {
  constexpr std::size_t most_epochs = 2000;
  std::size_t epochs = 0;
  for (const FitReport& fit : fits) epochs = std::max(epochs, fit.history.size());
  PlotBand band{.name = "smallest to largest", .color = PlotColor::blue};
  PlotLine line{.name = "median", .color = PlotColor::blue};
  const std::size_t stride = 1 + epochs / most_epochs;
  for (std::size_t i = 0; i < epochs; i += stride) {
    std::vector<double> losses;
    for (const FitReport& fit : fits) {
      if (i < fit.history.size() && std::isfinite(fit.history[i])) losses.push_back(fit.history[i]);
    }
    if (losses.empty()) continue;
    const auto [low, high] = std::ranges::minmax(losses);
    line.x.push_back(static_cast<double>(i + 1));
    line.y.push_back(median(losses));
    band.x.push_back(line.x.back());
    band.lower.push_back(low);
    band.upper.push_back(high);
  }
  plot.layers.emplace_back(std::move(band));
  plot.layers.emplace_back(std::move(line));
}

}  // namespace

std::vector<NamedPlot> fit_figures(const ReportSubject& subject) {
  const LossRange range = loss_range(subject.fits);
  if (!(range.low <= range.high)) return {};
  Plot plot{.title = "Training loss", .x = {.label = "epoch"}, .y = {.label = "loss"}};
  if (range.logarithmic()) plot.y.scale = AxisScale::log10;
  if (subject.fits.size() > most_lines) {
    add_summary(plot, subject.fits);
  } else {
    for (std::size_t m = 0; m < subject.fits.size(); ++m) {
      plot.layers.emplace_back(
          member_line(subject.fits[m], subject.fits.size() == 1 ? "" : fmt::format("network {}", m + 1)));
    }
  }
  std::vector<NamedPlot> figures;
  figures.push_back({.name = "loss",
                     .plot = std::move(plot),
                     .caption = "What the training minimised: it should fall and level off. A curve that is still "
                                "falling at its right end needs more epochs. Training in two stages, first the mean "
                                "and then sigma, shows two such curves one after the other, each with its own loss."});
  return figures;
}

}  // namespace nomu
