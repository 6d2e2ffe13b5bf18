#include "report/plot/color.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace nomu {
namespace {

using Rgb = std::array<double, 3>;

/// Equal steps along a path through Oklab from lightness 0.25 to 0.92. Linear in sRGB between them, neighbouring levels
/// differ by 0.0060 to 0.0065.
constexpr std::array<Rgb, 11> anchors = {{{44, 13, 75},
                                          {48, 38, 106},
                                          {43, 65, 131},
                                          {24, 93, 145},
                                          {10, 119, 149},
                                          {29, 145, 151},
                                          {48, 171, 151},
                                          {87, 194, 142},
                                          {139, 212, 123},
                                          {195, 224, 98},
                                          {251, 232, 80}}};

}  // namespace

std::string_view plot_color(PlotColor color) {
  switch (color) {
    case PlotColor::blue: return "#3d76c4";
    case PlotColor::orange: return "#dca12e";
    case PlotColor::green: return "#2fae82";
    case PlotColor::purple: return "#7d3c7c";
    case PlotColor::red: return "#b8442f";
    case PlotColor::sky: return "#93b8dc";
    case PlotColor::grey: return "#7f7c83";
    case PlotColor::automatic:
    case PlotColor::ink: break;
  }
  return "#2b3038";
}

std::vector<PlotColor> plot_layer_colors(const std::vector<PlotLayer>& layers) {
  constexpr std::array cycle = {PlotColor::blue,   PlotColor::orange, PlotColor::green,
                                PlotColor::purple, PlotColor::red,    PlotColor::sky};
  std::vector<PlotColor> colors;
  std::size_t taken = 0;
  for (const PlotLayer& layer : layers) {
    const PlotColor wanted = std::visit(
        [](const auto& l) {
          if constexpr (requires { l.values; }) {
            return PlotColor::ink;
          } else {
            return l.color;
          }
        },
        layer);
    colors.push_back(wanted == PlotColor::automatic ? cycle.at(taken++ % cycle.size()) : wanted);
  }
  return colors;
}

std::string ramp_color(std::size_t level) {
  const double at = static_cast<double>(std::min(level, ramp_levels - 1)) / (ramp_levels - 1) * (anchors.size() - 1);
  const std::size_t below = std::min(static_cast<std::size_t>(at), anchors.size() - 2);
  const double share = at - static_cast<double>(below);
  std::string text = "#";
  for (std::size_t c = 0; c < 3; ++c) {
    const double value = std::lerp(anchors.at(below).at(c), anchors.at(below + 1).at(c), share);
    text += fmt::format("{:02x}", static_cast<int>(std::lround(value)));
  }
  return text;
}

}  // namespace nomu
