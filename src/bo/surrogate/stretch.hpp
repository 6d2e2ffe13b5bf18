#pragma once
// A scale for a number of [-1, 1] on which one end of its range has more room than the other, as small numbers have on
// a logarithmic scale. A process that takes distances between places on such scales follows functions that vary fast
// near one end of a range and slowly near the other.

#include <cmath>

namespace nomu {

class Stretch {
 public:
  /// `setting`: the logarithm of the room at the low end; that at the high end is its inverse. 0 changes nothing.
  explicit Stretch(double setting) : setting_(setting), ratio_(std::exp(-setting)) {}

  [[nodiscard]] double setting() const { return setting_; }
  /// The place on the scale, of [-1, 1] again.
  [[nodiscard]] double place(double x) const { return 2.0 * share(x) / divisor(x) - 1.0; }
  /// The slope of the place by x.
  [[nodiscard]] double slope(double x) const { return ratio_ / (divisor(x) * divisor(x)); }
  /// The slope of the place by the setting.
  [[nodiscard]] double slope_by_setting(double x) const {
    return 2.0 * ratio_ * share(x) * (1.0 - share(x)) / (divisor(x) * divisor(x));
  }

 private:
  [[nodiscard]] static double share(double x) { return 0.5 * (x + 1.0); }
  [[nodiscard]] double divisor(double x) const { return share(x) + (1.0 - share(x)) * ratio_; }

  double setting_;
  double ratio_;
};

}  // namespace nomu
