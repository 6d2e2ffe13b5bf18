#include "report/plot/legend.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/plot/color.hpp"
#include "report/plot/layers.hpp"
#include "report/plot/text.hpp"

namespace nomu {
namespace {

double swatch_width(double font) { return 1.7 * font; }
double swatch_gap(double font) { return 0.45 * font; }
double entry_gap(double font) { return 1.2 * font; }

const std::string& name_of(const PlotLayer& layer) {
  static const std::string none;
  return std::visit(
      [](const auto& l) -> const std::string& {
        if constexpr (requires { l.name; }) {
          return l.name;
        } else {
          return none;
        }
      },
      layer);
}

double entry_width(const LegendEntry& entry, double font) {
  const double swatch = entry.layer == nullptr ? 0.0 : swatch_width(font) + swatch_gap(font);
  return swatch + text_width(entry.text, font);
}

/// Appends an entry; false when the rows are full.
bool place(PlotLegend& legend, LegendEntry entry, double& used, double width, double font, std::size_t row_limit) {
  const double wide = entry_width(entry, font);
  if (legend.rows == 0 || used + wide > width) {
    if (legend.rows == row_limit) return false;
    ++legend.rows;
    used = 0.0;
  }
  entry.x = used;
  entry.row = legend.rows - 1;
  used += wide + entry_gap(font);
  legend.entries.push_back(std::move(entry));
  return true;
}

}  // namespace

double legend_row_height(double font) { return 1.5 * font; }

PlotLegend plot_legend(const Plot& plot, double width, double font, std::size_t row_limit) {
  const std::vector<PlotColor> colors = plot_layer_colors(plot.layers);
  std::vector<LegendEntry> wanted;
  for (std::size_t i = 0; i < plot.layers.size(); ++i) {
    const std::string& name = name_of(plot.layers[i]);
    const auto same = [&](const LegendEntry& entry) { return name_of(*entry.layer) == name; };
    if (name.empty() || std::ranges::any_of(wanted, same)) continue;
    const double room = width - swatch_width(font) - swatch_gap(font);
    wanted.push_back({.layer = &plot.layers[i], .color = colors[i], .text = fitted_text(name, room, font)});
  }
  PlotLegend legend;
  double used = 0.0;
  std::size_t placed = 0;
  while (placed < wanted.size() && place(legend, wanted[placed], used, width, font, row_limit)) ++placed;
  // Drop entries until "and N more" fits.
  while (placed < wanted.size() && placed > 0) {
    const LegendEntry count{.text = fmt::format("and {} more", wanted.size() - placed)};
    if (used + entry_width(count, font) <= width && place(legend, count, used, width, font, row_limit)) break;
    used = legend.entries.back().x;
    legend.entries.pop_back();
    --placed;
  }
  return legend;
}

std::string draw_legend(const PlotLegend& legend, double left, double top, double font) {
  std::string out;
  for (const LegendEntry& entry : legend.entries) {
    const double middle = top + (static_cast<double>(entry.row) + 0.5) * legend_row_height(font);
    double x = left + entry.x;
    if (entry.layer != nullptr) {
      const PlotBox box{x, middle - 0.4 * font, x + swatch_width(font), middle + 0.4 * font};
      out += draw_swatch(*entry.layer, entry.color, box, font);
      x = box.right + swatch_gap(font);
    }
    out += svg_text(x, middle + 0.35 * font, entry.text, {.font = font});
  }
  return out;
}

}  // namespace nomu
