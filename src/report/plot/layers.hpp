#pragma once
/// The layers of a plot as SVG elements, already clipped to the plot's rectangle, except that markers may extend over
/// its edge.

#include <string>

#include "nomu/report/plot.hpp"
#include "report/plot/axis.hpp"
#include "report/plot/geometry.hpp"

namespace nomu {

/// The rectangle and scales that the data are drawn in.
struct PlotFrame {
  PlotBox box;
  PlotScale x;
  PlotScale y;
  PlotScale color;  ///< used by heat maps only
  double font = 12.0;

  /// Pixel position of a drawable sample.
  [[nodiscard]] PlotPoint at(double x_value, double y_value) const {
    return {box.left + x.fraction(x_value) * box.width(), box.bottom - y.fraction(y_value) * box.height()};
  }
};

/// One layer; `color` must not be automatic.
[[nodiscard]] std::string draw_layer(const PlotLayer& layer, PlotColor color, const PlotFrame& frame);

/// The layer's legend symbol, inside the box.
[[nodiscard]] std::string draw_swatch(const PlotLayer& layer, PlotColor color, const PlotBox& box, double font);

}  // namespace nomu
