#pragma once
/// Axes of plots: which values they show, where, and which of them have a tick. Ticks are whole multiples of 1, 2 or 5
/// times a power of ten, kept as integers until they are printed, so that no label shows a rounding error.

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "nomu/report/plot.hpp"

namespace nomu {

/// Whether a value can be drawn on an axis of this scale. Magnitudes beyond 1e305 count as infinite, and on a
/// logarithmic axis those below 1e-305 as zero, so that nothing computed from drawable values overflows.
[[nodiscard]] bool plot_drawable(double value, AxisScale scale);

/// The smallest and largest of some values.
struct PlotExtent {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  [[nodiscard]] bool empty() const { return low > high; }
  void add(double value) {
    low = value < low ? value : low;
    high = value > high ? value : high;
  }
};

/// Maps values to fractions of an axis.
struct PlotScale {
  AxisScale kind = AxisScale::linear;
  double low = 0.0;
  double high = 1.0;

  /// 0 at `low`, 1 at `high`; clamped at a billion far outside. The value must be drawable.
  [[nodiscard]] double fraction(double value) const;
};

/// A scale that shows the extent with `padding` (a fraction of it) at both ends. Values that are equal, or differ by no
/// more than rounding, get some space around them.
[[nodiscard]] PlotScale plot_scale(const PlotExtent& extent, AxisScale kind, double padding);

struct PlotTick {
  double value = 0.0;
  std::string label = {};  ///< empty: a grid line without a number
};

/// Ticks inside the scale, at most `limit` (2 or more) of them labelled, or up to 5 if fewer would leave only one.
/// Ticks without a label come last.
[[nodiscard]] std::vector<PlotTick> plot_ticks(const PlotScale& scale, int limit);

/// As many ticks as fit on an axis of `length` pixels without their labels colliding. `across`: the labels are next to
/// a vertical axis, so their height counts instead of their width. The axis' names of the values 0, 1, ... replace
/// numbers, each truncated to the room it has, and so do dates.
[[nodiscard]] std::vector<PlotTick> plot_fitting_ticks(const PlotScale& scale, double length, double font, bool across,
                                                       const PlotAxis& axis = {});

}  // namespace nomu
