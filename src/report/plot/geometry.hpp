#pragma once
/// Cutting curves and areas to the rectangle of a plot, in pixels. Done here rather than by clip paths, because those
/// need ids, which collide when several pictures stand in one page.

#include <vector>

namespace nomu {

struct PlotPoint {
  double x = 0.0;
  double y = 0.0;
};

/// Pixels grow to the right and downwards: left < right, top < bottom.
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

/// The curve without points that nobody can see: of neighbours in the same column of half a pixel only the first, the
/// lowest, the highest and the last stay.
[[nodiscard]] Polyline thin_polyline(const Polyline& line);

}  // namespace nomu
