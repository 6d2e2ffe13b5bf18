#pragma once
/// The legend of a plot, in rows above it, where it cannot cover data.

#include <cstddef>
#include <string>
#include <vector>

#include "nomu/report/plot.hpp"

namespace nomu {

struct LegendEntry {
  const PlotLayer* layer = nullptr;  ///< null: only text
  PlotColor color = PlotColor::ink;
  std::string text = {};
  double x = 0.0;  ///< from the left edge of the legend
  std::size_t row = 0;
};

struct PlotLegend {
  std::vector<LegendEntry> entries = {};
  std::size_t rows = 0;
};

/// Height of one row in pixels.
[[nodiscard]] double legend_row_height(double font);

/// Named layers in rows of `width` pixels. The last entry counts those that do not fit into `row_limit` rows. The
/// legend holds pointers into the plot.
[[nodiscard]] PlotLegend plot_legend(const Plot& plot, double width, double font, std::size_t row_limit);

/// The legend with its upper left corner at (left, top).
[[nodiscard]] std::string draw_legend(const PlotLegend& legend, double left, double top, double font);

}  // namespace nomu
