#pragma once
// Finds points of feasible regions that are too small for random draws.

#include "nomu/bo/space.hpp"
#include "nomu/core/random.hpp"

namespace nomu {

/// Moves the point until all constraints hold, repairing one violated constraint after the other with its variables in
/// random order; returns false if that does not succeed.
[[nodiscard]] bool move_to_feasible(const Space& space, Random& random, Point& point);

}  // namespace nomu
