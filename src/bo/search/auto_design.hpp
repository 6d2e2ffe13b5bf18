#pragma once
// The rules of method "auto" by their number. A study keeps the rules that it was made with, so that it still verifies
// when they have changed.

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "bo/surrogate/promise.hpp"

namespace nomu {

struct AutoDesign {
  std::int64_t everywhere = 8;  ///< one trial in so many looks everywhere
  std::int64_t thrifty = 8;     ///< the same once costs are told: what looking about is worth must pay for it
  double side = 0.8;            ///< largest side of the cube around the best result
  bool gains_knowledge = true;  ///< noisy studies choose what decides between points
  bool heeds_costs = true;
  bool draws_pending = true;  ///< of the points on their way; otherwise they are taken to have their mean
  bool simpler = true;        ///< results may be explained by a bowl and by one length for all variables
  bool makes_room = true;     ///< pending points lie closer where there is no room; otherwise random ones follow
  bool wide = true;           ///< results may span many orders of magnitude
  bool stretch = true;        ///< one end of a range may have more room than the other
  bool wary = true;           ///< most trials must not fail, and failures teach before there are different results
  SuccessWorth::Weight success = SuccessWorth::Weight::probability;

  [[nodiscard]] static AutoDesign of(std::int64_t rules, std::size_t variables) {
    AutoDesign design;
    if (rules <= 5) design.stretch = false;
    // Few variables are soon known around the best result, and then another basin is what may be better.
    if (rules >= 6 && variables <= 3) design.everywhere = 2;
    if (rules <= 4) design.wide = design.wary = false;
    if (rules <= 3) design.makes_room = false;
    if (rules <= 2) {
      design.simpler = false;
      design.success = SuccessWorth::Weight::cautious;
    }
    if (rules == 1) {
      design.everywhere = design.thrifty = 4;
      design.gains_knowledge = design.heeds_costs = design.draws_pending = false;
      return design;
    }
    // With many variables, a process of a few results knows too little of the far corners to be sent there.
    if (variables >= 10) {
      design.everywhere = design.thrifty = 1000000;
      design.side = 1.6 / std::sqrt(static_cast<double>(variables));
    }
    return design;
  }
};

}  // namespace nomu
