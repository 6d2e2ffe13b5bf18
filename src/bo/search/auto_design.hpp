#pragma once
// The rules of method "auto" by their number. A study keeps the rules that it was made with, so that it still verifies
// when they have changed.

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace nomu {

struct AutoDesign {
  std::int64_t everywhere = 8;  ///< one trial in so many looks everywhere
  double side = 0.8;            ///< largest side of the cube around the best result
  bool gains_knowledge = true;  ///< noisy studies choose what decides between points
  bool heeds_costs = true;
  bool draws_pending = true;  ///< of the points on their way; otherwise they are taken to have their mean

  [[nodiscard]] static AutoDesign of(std::int64_t rules, std::size_t variables) {
    if (rules == 1) return {.everywhere = 4, .gains_knowledge = false, .heeds_costs = false, .draws_pending = false};
    // With many variables, a process of a few results knows too little of the far corners to be sent there.
    if (variables >= 10) return {.everywhere = 1000000, .side = 1.6 / std::sqrt(static_cast<double>(variables))};
    return {};
  }
};

}  // namespace nomu
