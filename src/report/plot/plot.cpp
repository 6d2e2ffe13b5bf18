#include "nomu/report/plot.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "nomu/core/error.hpp"
#include "report/plot/cells.hpp"
#include "report/plot/check.hpp"
#include "report/plot/color.hpp"
#include "report/plot/layers.hpp"
#include "report/plot/legend.hpp"
#include "report/plot/text.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "report/plot";
constexpr std::string_view fonts = "system-ui, -apple-system, &#39;Segoe UI&#39;, Roboto, Helvetica, Arial, sans-serif";
constexpr std::string_view axis_color = "#9aa0a8";
constexpr std::string_view grid_color = "#e4e6ea";
constexpr std::string_view minor_grid_color = "#f1f2f4";
constexpr std::string_view title_color = "#1f2328";
/// Free space along the edges of the picture, in pixels.
constexpr double margin = 10.0;

/// Everything decided before drawing; lengths in pixels.
struct Layout {
  double width = 0.0;
  double height = 0.0;
  double font = 12.0;
  std::vector<std::string> title = {};
  PlotLegend legend = {};
  double legend_top = 0.0;
  PlotFrame frame = {};
  std::vector<PlotTick> x_ticks = {};
  std::vector<PlotTick> y_ticks = {};
  std::vector<PlotTick> color_ticks = {};
};

double title_font(double font) { return font * 1.14; }
/// Bold letters are wider than the estimate for plain ones.
double bold_room(double width) { return width / 1.13; }
double tick_length(double font) { return font * 0.35; }
double bar_width(double font) { return font * 1.1; }

double widest(const std::vector<PlotTick>& ticks, double font) {
  double width = 0.0;
  for (const PlotTick& tick : ticks) width = std::max(width, text_width(tick.label, font));
  return width;
}

/// Makes room for labels of the x axis that extend beyond its ends into the margins.
void keep_x_labels_inside(Layout& layout) {
  PlotBox& box = layout.frame.box;
  double left = 0.0;
  double right = 0.0;
  for (const PlotTick& tick : layout.x_ticks) {
    const double middle = layout.frame.at(tick.value, layout.frame.y.low).x;
    const double half = text_width(tick.label, layout.font) / 2;
    left = std::max(left, margin - (middle - half));
    right = std::max(right, middle + half - (layout.width - margin));
  }
  box.left += left;
  box.right = std::max(box.right - right, box.left + 2 * layout.font);
}

/// Title and legend take the height they need at the top, the legend up to a third of the plot.
void lay_out_head(Layout& layout, const Plot& plot) {
  const double inner = layout.width - 2 * margin;
  layout.title = wrapped_text(plot.title, bold_room(inner), title_font(layout.font), 2);
  layout.legend_top = margin + 1.3 * title_font(layout.font) * static_cast<double>(layout.title.size());
  const auto rows = static_cast<std::size_t>(layout.height / 3 / legend_row_height(layout.font));
  layout.legend = plot_legend(plot, inner, layout.font, std::max<std::size_t>(rows, 1));
  const double legend = legend_row_height(layout.font) * static_cast<double>(layout.legend.rows);
  layout.frame.box.top = layout.legend_top + legend + layout.font * 0.8;
}

/// The y axis comes first, because its labels determine how wide the x axis can be.
void lay_out_axes(Layout& layout, const Plot& plot, const PlotScales& scales) {
  const double font = layout.font;
  PlotFrame& frame = layout.frame;
  const double label = 1.5 * font;
  frame.font = font;
  frame.x = scales.x.value_or(PlotScale{});
  frame.y = scales.y.value_or(PlotScale{});
  frame.box.bottom = layout.height - margin - (plot.x.label.empty() ? 0.0 : label);
  frame.box.left = margin + (plot.y.label.empty() ? 0.0 : label);
  frame.box.right = layout.width - margin;
  if (!scales.x) return;
  if (!plot.x.hidden) frame.box.bottom -= 1.2 * font + tick_length(font);
  frame.box.bottom = std::max(frame.box.bottom, frame.box.top + 2 * font);
  if (!plot.y.hidden) {
    layout.y_ticks = plot_fitting_ticks(frame.y, frame.box.height(), font, true, plot.y);
    frame.box.left += widest(layout.y_ticks, font) + tick_length(font) + 0.3 * font;
  }
  if (scales.color) {
    frame.color = *scales.color;
    layout.color_ticks = plot_fitting_ticks(frame.color, frame.box.height(), font, true);
    const double name = plot_heat_map(plot)->color.label.empty() ? 0.0 : label;
    frame.box.right -= font + bar_width(font) + 0.5 * font + widest(layout.color_ticks, font) + name;
  }
  frame.box.right = std::max(frame.box.right, frame.box.left + 2 * font);
  if (plot.x.hidden) return;
  layout.x_ticks = plot_fitting_ticks(frame.x, frame.box.width(), font, false, plot.x);
  keep_x_labels_inside(layout);
  layout.x_ticks = plot_fitting_ticks(frame.x, frame.box.width(), font, false, plot.x);
}

Layout lay_out(const Plot& plot, PlotSize size, const PlotScales& scales) {
  Layout layout{.width = static_cast<double>(size.width), .height = static_cast<double>(size.height)};
  layout.font = std::clamp(layout.width / 45, 12.0, 14.0);
  lay_out_head(layout, plot);
  lay_out_axes(layout, plot, scales);
  return layout;
}

std::string straight(double x1, double y1, double x2, double y2, std::string_view color) {
  return fmt::format("<path stroke=\"{}\" d=\"M{} {}L{} {}\"/>\n", color, svg_number(x1), svg_number(y1),
                     svg_number(x2), svg_number(y2));
}

std::string draw_x_axis(const Layout& layout, bool grid) {
  const PlotBox& box = layout.frame.box;
  const double end = box.bottom + tick_length(layout.font);
  std::string lines;
  std::string labels;
  for (const PlotTick& tick : layout.x_ticks) {
    const double x = layout.frame.at(tick.value, layout.frame.y.low).x;
    if (grid) lines += straight(x, box.top, x, box.bottom, tick.label.empty() ? minor_grid_color : grid_color);
    if (tick.label.empty()) continue;
    lines += straight(x, box.bottom, x, end, axis_color);
    labels += svg_text(x, end + layout.font, tick.label, {.font = layout.font, .anchor = "middle"});
  }
  return lines + straight(box.left, box.bottom, box.right, box.bottom, axis_color) + labels;
}

std::string draw_y_axis(const Layout& layout, bool grid) {
  const PlotBox& box = layout.frame.box;
  const double end = box.left - tick_length(layout.font);
  std::string lines;
  std::string labels;
  for (const PlotTick& tick : layout.y_ticks) {
    const double y = layout.frame.at(layout.frame.x.low, tick.value).y;
    if (grid) lines += straight(box.left, y, box.right, y, tick.label.empty() ? minor_grid_color : grid_color);
    if (tick.label.empty()) continue;
    lines += straight(end, y, box.left, y, axis_color);
    labels +=
        svg_text(end - 0.3 * layout.font, y + 0.35 * layout.font, tick.label, {.font = layout.font, .anchor = "end"});
  }
  return lines + straight(box.left, box.bottom, box.left, box.top, axis_color) + labels;
}

std::string draw_color_bar(const Layout& layout, const PlotAxis& axis) {
  const PlotBox& box = layout.frame.box;
  const double font = layout.font;
  const PlotBox bar{box.right + font, box.top, box.right + font + bar_width(font), box.bottom};
  std::vector<double> levels;
  for (std::size_t i = 0; i < ramp_levels; ++i) levels.push_back((static_cast<double>(i) + 0.5) / ramp_levels);
  std::string out = draw_cells(levels, 1, bar, {0, 0, 1, ramp_levels});
  for (const PlotTick& tick : layout.color_ticks) {
    if (tick.label.empty()) continue;
    const double y = bar.bottom - layout.frame.color.fraction(tick.value) * bar.height();
    out += straight(bar.right, y, bar.right + tick_length(font), y, axis_color);
    out += svg_text(bar.right + 0.5 * font, y + 0.35 * font, tick.label, {.font = font});
  }
  return out + svg_text(layout.width - margin - 0.1 * font, (bar.top + bar.bottom) / 2,
                        fitted_text(axis.label, bar.height(), font),
                        {.font = font, .anchor = "middle", .upwards = true});
}

std::string draw_labels(const Layout& layout, const Plot& plot) {
  const PlotBox& box = layout.frame.box;
  const double font = layout.font;
  std::string out;
  double y = margin + title_font(font);
  for (const std::string& line : layout.title) {
    out += svg_text(margin, y, line, {.font = title_font(font), .color = title_color, .bold = true});
    y += 1.3 * title_font(font);
  }
  out += draw_legend(layout.legend, margin, layout.legend_top, font);
  if (!plot.x.label.empty()) {
    out += svg_text((box.left + box.right) / 2, layout.height - margin - 0.1 * font,
                    fitted_text(plot.x.label, box.width(), font), {.font = font, .anchor = "middle"});
  }
  if (!plot.y.label.empty()) {
    out += svg_text(margin + 0.85 * font, (box.top + box.bottom) / 2, fitted_text(plot.y.label, box.height(), font),
                    {.font = font, .anchor = "middle", .upwards = true});
  }
  return out;
}

std::string draw_plot(const Plot& plot, PlotSize size) {
  check_plot(plot);
  const PlotScales scales = plot_scales(plot);
  const Layout layout = lay_out(plot, size, scales);
  const PlotBox& box = layout.frame.box;
  std::string out = draw_labels(layout, plot);
  if (!scales.x) {
    out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"{}\"/>\n",
                       svg_number(box.left), svg_number(box.top), svg_number(box.width()), svg_number(box.height()),
                       grid_color);
    return out + svg_text((box.left + box.right) / 2, (box.top + box.bottom) / 2 + 0.35 * layout.font, "no data",
                          {.font = layout.font, .color = plot_color(PlotColor::grey), .anchor = "middle"});
  }
  const PlotHeatMap* map = plot_heat_map(plot);
  if (!plot.x.hidden) out += draw_x_axis(layout, map == nullptr);
  if (!plot.y.hidden) out += draw_y_axis(layout, map == nullptr);
  if (map != nullptr) out += draw_color_bar(layout, map->color);
  const std::vector<PlotColor> colors = plot_layer_colors(plot.layers);
  for (std::size_t i = 0; i < plot.layers.size(); ++i) out += draw_layer(plot.layers[i], colors[i], layout.frame);
  return out;
}

void check_size(PlotSize size) {
  if (size.width >= 160 && size.height >= 120 && size.width <= 10000 && size.height <= 10000) return;
  throw ConfigError(where, fmt::format("a plot must be between 160 x 120 and 10000 x 10000 pixels, got {} x {}",
                                       size.width, size.height));
}

std::string document(double width, double height, std::string_view name, std::string_view body) {
  const std::string w = svg_number(width);
  const std::string h = svg_number(height);
  // The style lets the plot shrink to fit its page; the white background keeps it readable on a dark one.
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "style=\"max-width:100%;height:auto\" role=\"img\" aria-label=\"{2}\" font-family=\"{3}\">\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n{4}</svg>\n",
      w, h, svg_escape(name.empty() ? "plot" : name), fonts, body);
}

}  // namespace

std::string render_svg(const Plot& plot, PlotSize size) {
  check_size(size);
  return document(size.width, size.height, plot.title, draw_plot(plot, size));
}

std::string render_svg_grid(std::span<const Plot> plots, const PlotGrid& grid) {
  check_size(grid.cell);
  if (grid.columns == 0) throw ConfigError(where, "a grid of plots needs at least one column");
  const Plot nothing;
  if (plots.empty()) plots = {&nothing, 1};
  const std::size_t columns = std::min(grid.columns, plots.size());
  const std::size_t rows = (plots.size() + columns - 1) / columns;
  const double width = static_cast<double>(grid.cell.width) * static_cast<double>(columns);
  const double font = 18.0;
  const double top = grid.title.empty() ? 0.0 : margin + 1.2 * font;
  std::string body;
  if (!grid.title.empty()) {
    body += svg_text(margin, margin + 0.9 * font, fitted_text(grid.title, bold_room(width - 2 * margin), font),
                     {.font = font, .color = title_color, .bold = true});
  }
  for (std::size_t i = 0; i < plots.size(); ++i) {
    const std::size_t row = i / columns;
    const double x = static_cast<double>(grid.cell.width) * static_cast<double>(i - row * columns);
    const double y = top + static_cast<double>(grid.cell.height) * static_cast<double>(row);
    body += fmt::format("<g transform=\"translate({} {})\">\n{}</g>\n", svg_number(x), svg_number(y),
                        draw_plot(plots[i], grid.cell));
  }
  return document(width, top + static_cast<double>(grid.cell.height) * static_cast<double>(rows), grid.title, body);
}

}  // namespace nomu
