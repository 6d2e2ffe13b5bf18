#pragma once
/// Checks a plot before it is drawn and determines the values its axes show. Every error names the layer.

#include <optional>

#include "nomu/report/plot.hpp"
#include "report/plot/axis.hpp"

namespace nomu {

/// Throws what render_svg documents, except for sizes.
void check_plot(const Plot& plot);

/// The axes of a plot. All three are empty when there is no sample to draw; `color` also without a heat map.
struct PlotScales {
  std::optional<PlotScale> x = {};
  std::optional<PlotScale> y = {};
  std::optional<PlotScale> color = {};
};

/// The axes as given, or fitted to the data. The plot must have passed check_plot.
[[nodiscard]] PlotScales plot_scales(const Plot& plot);

/// The heat map of the plot, or null.
[[nodiscard]] const PlotHeatMap* plot_heat_map(const Plot& plot);

}  // namespace nomu
