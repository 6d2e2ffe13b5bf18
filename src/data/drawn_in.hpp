#pragma once
// How numbers far from the middle are drawn in, and back.

#include <cmath>

namespace nomu {

/// What a number exceeds `straight` by, on either side, is drawn in: e becomes e / sqrt(1 + (e / (reach -
/// straight))^2).
struct DrawnIn {
  double reach = 0.0;     ///< the result is never so far from 0; 0: numbers stay as they are
  double straight = 0.0;  ///< less than reach

  [[nodiscard]] double in(double number) const {
    const double excess = std::abs(number) - straight;
    if (reach <= 0.0 || excess <= 0.0) return number;
    return std::copysign(straight + excess / std::hypot(1.0, excess / (reach - straight)), number);
  }

  /// The number that becomes this one; infinite where rounding has made it the reach itself.
  [[nodiscard]] double out(double drawn) const {
    const double excess = std::abs(drawn) - straight;
    if (reach <= 0.0 || excess <= 0.0) return drawn;
    const double share = excess / (reach - straight);
    return std::copysign(straight + excess / std::sqrt(1.0 - share * share), drawn);
  }
};

}  // namespace nomu
