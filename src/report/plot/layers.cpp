#include "report/plot/layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/plot/cells.hpp"
#include "report/plot/color.hpp"
#include "report/plot/text.hpp"

namespace nomu {
namespace {

/// A stroke so short that only its ends are visible. Some viewers do not draw strokes of length 0.
constexpr std::string_view dot = "h.01";

std::string path_of(const Polyline& line) {
  std::string d;
  for (const PlotPoint& p : line) {
    d += fmt::format("{}{} {}", d.empty() ? 'M' : 'L', svg_number(p.x), svg_number(p.y));
  }
  // A single point becomes a dot, because line ends are round.
  return line.size() == 1 ? d.append(dot) : d;
}

std::string stroke_attributes(PlotColor color, PlotStroke stroke, double width) {
  std::string dash;
  if (stroke == PlotStroke::dashed) dash = fmt::format(R"( stroke-dasharray="{0} {0}")", svg_number(3 * width));
  if (stroke == PlotStroke::dotted) dash = fmt::format(R"( stroke-dasharray="0 {}")", svg_number(2 * width));
  return fmt::format(R"(fill="none" stroke="{}" stroke-width="{}" stroke-linejoin="round" stroke-linecap="{}"{})",
                     plot_color(color), svg_number(width), stroke == PlotStroke::dashed ? "butt" : "round", dash);
}

std::string stroked(const std::string& d, PlotColor color, PlotStroke stroke, double width) {
  if (d.empty()) return {};
  return fmt::format("<path {} d=\"{}\"/>\n", stroke_attributes(color, stroke, width), d);
}

double line_width(double font) { return font / 7.0; }

/// Runs of consecutive drawable samples, in pixels.
template <class Values>
std::vector<Polyline> runs_of(std::span<const double> x, const Values& y, const PlotFrame& frame) {
  std::vector<Polyline> runs(1);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (plot_drawable(x[i], frame.x.kind) && plot_drawable(y(i), frame.y.kind)) {
      runs.back().push_back(frame.at(x[i], y(i)));
    } else if (!runs.back().empty()) {
      runs.emplace_back();
    }
  }
  return runs;
}

std::string curve(const std::vector<Polyline>& runs, const PlotBox& box) {
  std::string d;
  for (const Polyline& run : runs) {
    for (const Polyline& part : clip_polyline(thin_polyline(run), box)) d += path_of(part);
  }
  return d;
}

/// Markers of one size as a single path: a very short stroke is a dot or a square, depending on its line ends.
std::string marks(const Polyline& points, PlotMarker marker, PlotColor color, double size) {
  if (points.empty()) return {};
  std::string d;
  const std::string half = svg_number(size / 2);
  const std::string whole = svg_number(size);
  for (const PlotPoint& p : points) {
    d += marker == PlotMarker::cross ? fmt::format("M{} {}l{} {}m0 -{}l-{} {}", svg_number(p.x - size / 2),
                                                   svg_number(p.y - size / 2), whole, whole, whole, whole, whole)
                                     : fmt::format("M{} {}{}", svg_number(p.x), svg_number(p.y), dot);
  }
  const double width = marker == PlotMarker::cross ? size / 4 : size;
  const std::string_view ends = marker == PlotMarker::square ? "square" : "round";
  const auto path = [&](std::string_view attributes, double stroke) {
    return fmt::format("<path fill=\"none\" {} stroke-width=\"{}\" stroke-linecap=\"{}\" d=\"{}\"/>\n", attributes,
                       svg_number(stroke), ends, d);
  };
  // The white rim separates markers from each other and from what lies below them.
  return path(R"(stroke="#fff" stroke-opacity=".8")", width + size * 0.35) +
         path(fmt::format(R"(stroke="{}")", plot_color(color)), width);
}

/// Many markers are drawn smaller, so that they do not hide each other.
double mark_size(std::size_t count, double font) {
  if (count <= 60) return font * 0.48;
  return count <= 600 ? font * 0.36 : font * 0.24;
}

struct DrawLayer {
  PlotColor color;
  const PlotFrame& frame;

  std::string operator()(const PlotBand& band) const;
  std::string operator()(const PlotLine& line) const {
    const auto runs = runs_of(
        line.x, [&](std::size_t i) { return line.y[i]; }, frame);
    return stroked(curve(runs, frame.box), color, line.stroke, line_width(frame.font));
  }
  std::string operator()(const PlotSteps& steps) const;
  std::string operator()(const PlotPoints& points) const;
  std::string operator()(const PlotHeatMap& map) const;
  std::string operator()(const PlotRule& rule) const;
  std::string operator()(const PlotNote& note) const;

  [[nodiscard]] std::string error_bar(double x, double lower, double upper, bool capped) const;
};

std::string DrawLayer::operator()(const PlotBand& band) const {
  // NaN if any of the three is not finite, so that both edges break at the same samples.
  const auto edge_of = [&](const std::vector<double>& edge, const std::vector<double>& other) {
    return runs_of(
        band.x,
        [&](std::size_t i) {
          return plot_drawable(other[i], frame.y.kind) ? edge[i] : std::numeric_limits<double>::quiet_NaN();
        },
        frame);
  };
  const std::vector<Polyline> lower = edge_of(band.lower, band.upper);
  const std::vector<Polyline> upper = edge_of(band.upper, band.lower);
  std::string areas;
  std::string bars;
  for (std::size_t r = 0; r < lower.size(); ++r) {
    Polyline area = upper[r];
    area.insert(area.end(), lower[r].rbegin(), lower[r].rend());
    if (area.size() == 2) {
      bars += curve({area}, frame.box);
    } else if (area = clip_polygon(area, frame.box); !area.empty()) {
      areas += path_of(area) + "Z";
    }
  }
  const std::string opacity = svg_number(band.opacity);
  std::string out;
  if (!areas.empty()) {
    out += fmt::format("<path fill=\"{}\" fill-opacity=\"{}\" d=\"{}\"/>\n", plot_color(color), opacity, areas);
  }
  if (!bars.empty()) {
    out += fmt::format("<path fill=\"none\" stroke=\"{}\" stroke-opacity=\"{}\" stroke-width=\"3\" d=\"{}\"/>\n",
                       plot_color(color), opacity, bars);
  }
  return out;
}

std::string DrawLayer::operator()(const PlotSteps& steps) const {
  std::vector<double> x;
  std::vector<double> y;
  for (std::size_t i = 0; i < steps.y.size(); ++i) {
    x.push_back(steps.x[i]);
    y.push_back(steps.y[i]);
    if (i + 1 < steps.x.size()) {
      x.push_back(steps.x[i + 1]);
      y.push_back(steps.y[i]);
    }
  }
  return (*this)(PlotLine{.x = std::move(x), .y = std::move(y), .stroke = steps.stroke});
}

std::string DrawLayer::error_bar(double x, double lower, double upper, bool capped) const {
  if (!plot_drawable(lower, frame.y.kind) || !plot_drawable(upper, frame.y.kind)) return {};
  const PlotPoint from = frame.at(x, lower);
  const PlotPoint to = frame.at(x, upper);
  std::string d = curve({{from, to}}, frame.box);
  const double cap = frame.font * 0.22;
  for (const PlotPoint& end : {from, to}) {
    if (capped && frame.box.contains(end)) d += path_of({{end.x - cap, end.y}, {end.x + cap, end.y}});
  }
  return d;
}

std::string DrawLayer::operator()(const PlotPoints& points) const {
  Polyline shown;
  std::string bars;
  const bool few = points.x.size() <= 60;
  for (std::size_t i = 0; i < points.x.size(); ++i) {
    if (!plot_drawable(points.x[i], frame.x.kind) || !plot_drawable(points.y[i], frame.y.kind)) continue;
    const PlotPoint p = frame.at(points.x[i], points.y[i]);
    if (frame.box.contains(p)) shown.push_back(p);
    if (!points.lower.empty()) bars += error_bar(points.x[i], points.lower[i], points.upper[i], few);
  }
  std::string out;
  if (!bars.empty()) {
    const double opacity = few ? 0.7 : 0.25;
    out += fmt::format("<path {} stroke-opacity=\"{}\" d=\"{}\"/>\n",
                       stroke_attributes(color, PlotStroke::solid, frame.font / 11), svg_number(opacity), bars);
  }
  return out + marks(shown, points.marker, color, mark_size(shown.size(), frame.font));
}

std::string DrawLayer::operator()(const PlotHeatMap& map) const {
  if (map.values.empty()) return {};
  std::vector<double> fractions;
  for (const double value : map.values) {
    fractions.push_back(plot_drawable(value, frame.color.kind) ? frame.color.fraction(value)
                                                               : std::numeric_limits<double>::quiet_NaN());
  }
  const PlotPoint low = frame.at(map.x.low, map.y.low);
  const PlotPoint high = frame.at(map.x.high, map.y.high);
  const PlotBox box{low.x, high.y, high.x, low.y};
  const auto cols = static_cast<double>(map.cols);
  const double rows = static_cast<double>(map.values.size()) / cols;
  const PlotBox visible{std::clamp((frame.box.left - box.left) / box.width(), 0.0, 1.0) * cols,
                        std::clamp((box.bottom - frame.box.bottom) / box.height(), 0.0, 1.0) * rows,
                        std::clamp((frame.box.right - box.left) / box.width(), 0.0, 1.0) * cols,
                        std::clamp((box.bottom - frame.box.top) / box.height(), 0.0, 1.0) * rows};
  return draw_cells(fractions, map.cols, box, visible);
}

std::string DrawLayer::operator()(const PlotRule& rule) const {
  const bool horizontal = rule.direction == PlotDirection::horizontal;
  if (!plot_drawable(rule.at, horizontal ? frame.y.kind : frame.x.kind)) return {};
  const PlotPoint p = frame.at(horizontal ? frame.x.low : rule.at, horizontal ? rule.at : frame.y.low);
  const PlotBox& box = frame.box;
  const Polyline line =
      horizontal ? Polyline{{box.left, p.y}, {box.right, p.y}} : Polyline{{p.x, box.bottom}, {p.x, box.top}};
  return stroked(curve({line}, box), color, rule.stroke, line_width(frame.font) * 0.7);
}

std::string DrawLayer::operator()(const PlotNote& note) const {
  std::vector<std::string> lines;
  double width = 0.0;
  const double room = frame.font * 0.5;
  for (std::size_t begin = 0; begin <= note.text.size();) {
    const std::size_t end = std::min(note.text.find('\n', begin), note.text.size());
    lines.push_back(fitted_text(note.text.substr(begin, end - begin), frame.box.width() - 2 * room, frame.font));
    width = std::max(width, text_width(lines.back(), frame.font));
    begin = end + 1;
  }
  const PlotBox& box = frame.box;
  bool left = note.corner == PlotCorner::top_left || note.corner == PlotCorner::bottom_left;
  PlotPoint at{left ? box.left : box.right, box.top};
  const double height = 1.25 * frame.font * static_cast<double>(lines.size());
  if (note.corner == PlotCorner::bottom_left || note.corner == PlotCorner::bottom_right) at.y = box.bottom;
  if (!note.corner) {
    if (!plot_drawable(note.x, frame.x.kind) || !plot_drawable(note.y, frame.y.kind)) return {};
    at = frame.at(note.x, note.y);
    if (!box.contains(at)) return {};
    left = at.x + room + width <= box.right || at.x - box.left < box.width() / 2;
    at.y -= height / 2 + room;
  }
  const double x = left ? std::max(std::min(at.x + room, box.right - room - width), box.left + room)
                        : std::min(std::max(at.x - room, box.left + room + width), box.right - room);
  double y = std::clamp(at.y, box.top + room, std::max(box.top + room, box.bottom - room - height)) + frame.font * 0.9;
  std::string out;
  for (const std::string& line : lines) {
    out += svg_text(x, y, line,
                    {.font = frame.font, .color = plot_color(color), .anchor = left ? "start" : "end", .halo = true});
    y += 1.25 * frame.font;
  }
  return out;
}

}  // namespace

std::string draw_layer(const PlotLayer& layer, PlotColor color, const PlotFrame& frame) {
  return std::visit(DrawLayer{color, frame}, layer);
}

std::string draw_swatch(const PlotLayer& layer, PlotColor color, const PlotBox& box, double font) {
  const double middle = (box.top + box.bottom) / 2;
  const PlotFrame frame{box, {}, {}, {}, font};
  Plot sample;
  if (const auto* band = std::get_if<PlotBand>(&layer)) {
    sample.layers = {PlotBand{.x = {0, 1}, .lower = {0, 0}, .upper = {1, 1}, .opacity = band->opacity}};
  } else if (const auto* points = std::get_if<PlotPoints>(&layer)) {
    PlotPoints one{.x = {0.5}, .y = {0.5}, .marker = points->marker};
    if (!points->lower.empty()) {
      one.lower = {0};
      one.upper = {1};
    }
    sample.layers = {one};
  } else {
    PlotStroke stroke = PlotStroke::solid;
    if (const auto* line = std::get_if<PlotLine>(&layer)) stroke = line->stroke;
    if (const auto* steps = std::get_if<PlotSteps>(&layer)) stroke = steps->stroke;
    if (const auto* rule = std::get_if<PlotRule>(&layer)) stroke = rule->stroke;
    return stroked(path_of({{box.left, middle}, {box.right, middle}}), color, stroke, line_width(font));
  }
  return draw_layer(sample.layers.front(), color, frame);
}

}  // namespace nomu
