#include "report/plot/geometry.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace nomu {
namespace {

/// Tolerance in pixels, so that rounding does not drop what lies on the edge.
constexpr double tolerance = 1e-6;

PlotPoint between(const PlotPoint& a, const PlotPoint& b, double share) {
  return {a.x + (b.x - a.x) * share, a.y + (b.y - a.y) * share};
}

/// The part [enter, leave] of the segment from 0 to 1; nothing is left when leave < enter.
struct VisiblePart {
  double enter = 0.0;
  double leave = 1.0;
};

/// Keeps the part where from + share * (to - from) is between low and high.
void clip_to(VisiblePart& part, double from, double to, double low, double high) {
  const double change = to - from;
  if (change == 0.0) {
    if (from < low - tolerance || from > high + tolerance) part.leave = -1.0;
    return;
  }
  const double one = (low - from) / change;
  const double other = (high - from) / change;
  part.enter = std::max(part.enter, std::min(one, other));
  part.leave = std::min(part.leave, std::max(one, other));
}

/// Distance from one side of the box, positive inside.
double depth(const PlotPoint& p, const PlotBox& box, int side) {
  switch (side) {
    case 0: return p.x - box.left;
    case 1: return box.right - p.x;
    case 2: return p.y - box.top;
    default: return box.bottom - p.y;
  }
}

}  // namespace

bool PlotBox::contains(const PlotPoint& p) const {
  return p.x >= left - tolerance && p.x <= right + tolerance && p.y >= top - tolerance && p.y <= bottom + tolerance;
}

std::vector<Polyline> clip_polyline(const Polyline& line, const PlotBox& box) {
  std::vector<Polyline> parts;
  if (line.size() == 1 && box.contains(line.front())) parts.push_back(line);
  bool open = false;
  for (std::size_t i = 1; i < line.size(); ++i) {
    const PlotPoint& a = line[i - 1];
    const PlotPoint& b = line[i];
    VisiblePart part;
    clip_to(part, a.x, b.x, box.left, box.right);
    clip_to(part, a.y, b.y, box.top, box.bottom);
    if (part.leave < part.enter) {
      open = false;
      continue;
    }
    if (!open || part.enter > 0.0) parts.push_back({between(a, b, part.enter)});
    parts.back().push_back(between(a, b, part.leave));
    open = part.leave == 1.0;
  }
  return parts;
}

Polyline clip_polygon(const Polyline& polygon, const PlotBox& box) {
  Polyline kept = polygon;
  for (int side = 0; side < 4; ++side) {
    Polyline next;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const PlotPoint& a = kept[i == 0 ? kept.size() - 1 : i - 1];
      const PlotPoint& b = kept[i];
      const double from = depth(a, box, side);
      const double to = depth(b, box, side);
      if ((from < 0.0) != (to < 0.0)) next.push_back(between(a, b, from / (from - to)));
      if (to >= 0.0) next.push_back(b);
    }
    kept = std::move(next);
  }
  return kept;
}

Polyline thin_polyline(const Polyline& line) {
  const auto column = [](const PlotPoint& p) { return std::floor(p.x * 2.0); };
  Polyline kept;
  for (std::size_t begin = 0; begin < line.size();) {
    std::size_t end = begin;
    std::size_t low = begin;
    std::size_t high = begin;
    for (; end < line.size() && column(line[end]) == column(line[begin]); ++end) {
      if (line[end].y < line[low].y) low = end;
      if (line[end].y > line[high].y) high = end;
    }
    std::array<std::size_t, 4> kept_points = {begin, std::min(low, high), std::max(low, high), end - 1};
    const auto last = std::unique(kept_points.begin(), kept_points.end());
    std::for_each(kept_points.begin(), last, [&](std::size_t i) { kept.push_back(line[i]); });
    begin = end;
  }
  return kept;
}

}  // namespace nomu
