#include "report/plot/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "report/plot";
/// An axis narrower than this share of its values cannot be labelled.
constexpr double narrowest = 1e-10;
constexpr double padding = 0.04;

void check_range(const PlotRange& range, AxisScale scale, std::string_view what) {
  const double magnitude = std::max(std::abs(range.low), std::abs(range.high));
  // Written so that NaN is refused.
  if (!(range.high - range.low >= std::max(narrowest * magnitude, 1e-305) && magnitude <= 1e305)) {
    throw ConfigError(where, fmt::format("the range of {} must go from a finite number to a larger one, got {} to {}",
                                         what, range.low, range.high));
  }
  if (scale == AxisScale::log10 && !plot_drawable(range.low, scale)) {
    throw ConfigError(where, fmt::format("{} is logarithmic, so its range must be positive, got {} to {}", what,
                                         range.low, range.high));
  }
}

void check_axis(const PlotAxis& axis, std::string_view what) {
  if (axis.range) check_range(*axis.range, axis.scale, what);
  if (!axis.names.empty() && axis.scale == AxisScale::log10) {
    throw ConfigError(where,
                      fmt::format("{} is logarithmic and cannot have names, which are placed at 0, 1, ...", what));
  }
}

/// Checks one layer; `label` reads like "layer 2 (line 'mean')".
struct LayerCheck {
  const Plot& plot;
  std::string label;

  void same_size(std::size_t size, std::size_t wanted, std::string_view what) const {
    if (size == wanted) return;
    throw DataError(where, fmt::format("{} has {} values of x but {} of {}", label, wanted, size, what));
  }

  void positive(std::span<const double> values, AxisScale scale, std::string_view axis, std::string_view what) const {
    if (scale == AxisScale::linear) return;
    const auto bad = std::ranges::find_if(values, [](double v) { return v <= 0.0; });
    if (bad == values.end()) return;
    throw DataError(where, fmt::format("{} is logarithmic and accepts only positive values, but {} has {}[{}] = {}",
                                       axis, label, what, bad - values.begin(), *bad));
  }

  void x(std::span<const double> values) const { positive(values, plot.x.scale, "the x axis", "x"); }
  void y(std::span<const double> values, std::string_view what) const {
    positive(values, plot.y.scale, "the y axis", what);
  }

  void operator()(const PlotBand& band) const {
    same_size(band.lower.size(), band.x.size(), "lower");
    same_size(band.upper.size(), band.x.size(), "upper");
    if (!(band.opacity > 0.0 && band.opacity <= 1.0)) {
      throw ConfigError(where, fmt::format("the opacity of {} must be in (0, 1], got {}", label, band.opacity));
    }
    x(band.x);
    y(band.lower, "lower");
    y(band.upper, "upper");
  }

  void operator()(const PlotLine& line) const {
    same_size(line.y.size(), line.x.size(), "y");
    x(line.x);
    y(line.y, "y");
  }

  void operator()(const PlotSteps& steps) const {
    if (steps.x.size() != steps.y.size() + 1) same_size(steps.y.size(), steps.x.size(), "y");
    x(steps.x);
    y(steps.y, "y");
  }

  void operator()(const PlotPoints& points) const {
    same_size(points.y.size(), points.x.size(), "y");
    if (!points.lower.empty() || !points.upper.empty()) {
      same_size(points.lower.size(), points.x.size(), "lower");
      same_size(points.upper.size(), points.x.size(), "upper");
    }
    x(points.x);
    y(points.y, "y");
    y(points.lower, "lower");
    y(points.upper, "upper");
  }

  void operator()(const PlotHeatMap& map) const {
    if (&map != plot_heat_map(plot))
      throw ConfigError(where, label + " is a second heat map; a plot can have only one");
    if (map.cols == 0 ? !map.values.empty() : map.values.size() % map.cols != 0) {
      throw DataError(
          where, fmt::format("{} has {} values, which do not fill rows of {}", label, map.values.size(), map.cols));
    }
    check_range(map.x, plot.x.scale, "x in " + label);
    check_range(map.y, plot.y.scale, "y in " + label);
    check_axis(map.color, "the colour bar");
    positive(map.values, map.color.scale, "the colour bar", "values");
  }

  void operator()(const PlotRule& rule) const {
    const std::span<const double> at(&rule.at, 1);
    rule.direction == PlotDirection::horizontal ? y(at, "at") : x(at);
  }

  void operator()(const PlotNote& note) const {
    if (note.corner) return;
    x({&note.x, 1});
    y({&note.y, 1}, "y");
  }
};

std::string layer_label(const PlotLayer& layer, std::size_t index) {
  constexpr std::string_view kinds[] = {"band", "line", "steps", "points", "heat map", "rule", "note"};
  std::string name;
  std::visit(
      [&](const auto& l) {
        if constexpr (requires { l.name; }) name = l.name;
      },
      layer);
  return fmt::format("layer {} ({}{})", index, kinds[layer.index()], name.empty() ? "" : fmt::format(" '{}'", name));
}

/// Collects the extents of all samples that can be drawn.
struct ExtentCollector {
  AxisScale x_kind = AxisScale::linear;
  AxisScale y_kind = AxisScale::linear;
  PlotExtent x = {};
  PlotExtent y = {};

  void sample(double at, std::span<const double> values) {
    const auto shown = [&](double v) { return plot_drawable(v, y_kind); };
    if (!plot_drawable(at, x_kind) || !std::ranges::all_of(values, shown)) return;
    x.add(at);
    for (const double value : values) y.add(value);
  }

  void operator()(const PlotBand& band) {
    for (std::size_t i = 0; i < band.x.size(); ++i) sample(band.x[i], std::array{band.lower[i], band.upper[i]});
  }
  void operator()(const PlotLine& line) {
    for (std::size_t i = 0; i < line.x.size(); ++i) sample(line.x[i], {&line.y[i], 1});
  }
  void operator()(const PlotSteps& steps) {
    for (std::size_t i = 0; i < steps.y.size(); ++i) sample(steps.x[i], {&steps.y[i], 1});
    if (!x.empty() && !steps.x.empty() && plot_drawable(steps.x.back(), x_kind)) x.add(steps.x.back());
  }
  void operator()(const PlotPoints& points) {
    for (std::size_t i = 0; i < points.x.size(); ++i) {
      sample(points.x[i], {&points.y[i], 1});
      if (!points.lower.empty()) sample(points.x[i], std::array{points.y[i], points.lower[i], points.upper[i]});
    }
  }
  void operator()(const PlotHeatMap& map) {
    const auto shown = [&](double v) { return plot_drawable(v, map.color.scale); };
    if (std::ranges::none_of(map.values, shown)) return;
    sample(map.x.low, std::array{map.y.low, map.y.high});
    sample(map.x.high, std::array{map.y.low, map.y.high});
  }
  void operator()(const PlotRule& rule) {
    const bool horizontal = rule.direction == PlotDirection::horizontal;
    if (plot_drawable(rule.at, horizontal ? y_kind : x_kind)) (horizontal ? y : x).add(rule.at);
  }
  void operator()(const PlotNote& note) {
    if (!note.corner) sample(note.x, {&note.y, 1});
  }
};

PlotScale scale_of(const PlotAxis& axis, const PlotExtent& extent, double room) {
  if (axis.range) return {axis.scale, axis.range->low, axis.range->high};
  if (!axis.names.empty()) return {axis.scale, -0.5, static_cast<double>(axis.names.size()) - 0.5};
  return plot_scale(extent, axis.scale, room);
}

/// A heat map that covers everything fills the axis; anything else gets some padding.
double room_around(const PlotExtent& extent, const PlotRange& map) {
  return map.low <= extent.low && extent.high <= map.high ? 0.0 : padding;
}

}  // namespace

const PlotHeatMap* plot_heat_map(const Plot& plot) {
  for (const PlotLayer& layer : plot.layers) {
    if (const auto* map = std::get_if<PlotHeatMap>(&layer)) return map;
  }
  return nullptr;
}

void check_plot(const Plot& plot) {
  check_axis(plot.x, "the x axis");
  check_axis(plot.y, "the y axis");
  for (std::size_t i = 0; i < plot.layers.size(); ++i) {
    std::visit(LayerCheck{plot, layer_label(plot.layers[i], i)}, plot.layers[i]);
  }
}

PlotScales plot_scales(const Plot& plot) {
  ExtentCollector samples{plot.x.scale, plot.y.scale};
  ExtentCollector all{plot.x.scale, plot.y.scale};
  for (const PlotLayer& layer : plot.layers) {
    std::visit(all, layer);
    if (!std::holds_alternative<PlotRule>(layer) && !std::holds_alternative<PlotNote>(layer))
      std::visit(samples, layer);
  }
  if (samples.x.empty()) return {};
  const PlotHeatMap* map = plot_heat_map(plot);
  PlotScales scales{.x = scale_of(plot.x, all.x, map != nullptr ? room_around(all.x, map->x) : padding),
                    .y = scale_of(plot.y, all.y, map != nullptr ? room_around(all.y, map->y) : padding)};
  // Do not suggest negative values for quantities that have none, such as a width.
  if (!plot.y.range && scales.y->kind == AxisScale::linear && all.y.low >= 0.0 && all.y.high > 0.0) {
    scales.y->low = std::max(scales.y->low, 0.0);
  }
  if (map != nullptr) {
    PlotExtent values;
    for (const double value : map->values) {
      if (plot_drawable(value, map->color.scale)) values.add(value);
    }
    scales.color = scale_of(map->color, values, 0.0);
  }
  return scales;
}

}  // namespace nomu
