#pragma once
/// Colours of plots as SVG strings. Both the palette and the ramp were chosen by distance in Oklab, the palette also as
/// seen with protanopia, deuteranopia and tritanopia.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "nomu/report/plot.hpp"

namespace nomu {

/// "#rrggbb"; `automatic` counts as ink.
[[nodiscard]] std::string_view plot_color(PlotColor color);

/// The colour of each layer, `automatic` replaced. Heat maps get ink.
[[nodiscard]] std::vector<PlotColor> plot_layer_colors(const std::vector<PlotLayer>& layers);

/// Number of colours of the ramp.
inline constexpr std::size_t ramp_levels = 128;

/// "#rrggbb" of a level: dark violet through blue and green to yellow, even in lightness and in perceived difference.
[[nodiscard]] std::string ramp_color(std::size_t level);

}  // namespace nomu
