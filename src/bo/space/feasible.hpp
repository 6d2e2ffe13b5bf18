#pragma once
// Ways into a feasible region that is too small to be met by chance.

#include "nomu/bo/space.hpp"
#include "nomu/core/random.hpp"

namespace nomu {

/// Moves the point until all constraints hold, one violated constraint after the other, its variables in random order;
/// false where that does not end well.
[[nodiscard]] bool move_to_feasible(const Space& space, Random& random, Point& point);

}  // namespace nomu
