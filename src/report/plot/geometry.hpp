#pragma once
/// Clips curves and areas to the rectangle of a plot, in pixels. Clip paths would need ids, which collide when one page
/// holds several plots.

#include <vector>

namespace nomu {

struct PlotPoint {
  double x = 0.0;
  double y = 0.0;
};

/// Pixel coordinates grow to the right and downwards: left < right, top < bottom.
struct PlotBox {
  double left = 0.0;
  double top = 0.0;
  double right = 0.0;
  double bottom = 0.0;

  [[nodiscard]] double width() const { return right - left; }
  [[nodiscard]] double height() const { return bottom - top; }
  [[nodiscard]] bool contains(const PlotPoint& p) const;
};

using Polyline = std::vector<PlotPoint>;

/// The parts of the curve inside the box. A curve of one point is kept when it lies inside.
[[nodiscard]] std::vector<Polyline> clip_polyline(const Polyline& line, const PlotBox& box);

/// The part of the area inside the box; it may touch itself along the sides.
[[nodiscard]] Polyline clip_polygon(const Polyline& polygon, const PlotBox& box);

/// The curve without invisible points: of neighbours within the same half pixel in x, only the first, the lowest, the
/// highest and the last are kept.
[[nodiscard]] Polyline thin_polyline(const Polyline& line);

}  // namespace nomu
