#pragma once
/// The artificial input points of term (c): how many a step, where, and by which rule.

#include <cstdint>

#include "nomu/core/fields.hpp"

namespace nomu {

struct Augmentation {
  enum class Kind {
    uniform,          ///< fresh uniform points every step
    low_discrepancy,  ///< a sequence that fills the box evenly, shifted anew every step
    grid,             ///< the same grid every step; needs a d-th power as count
    given             ///< `Cohort::unlabelled`: all of them every step, or `count` drawn anew where there are more
  };
  enum class Box {
    cube,  ///< [-reach, reach]^d
    data   ///< each member's own range of each input, widened by `margin` of it on either side
  };
  Kind kind = Kind::uniform;
  std::int64_t count = 0;  ///< a step; 0: chosen from n and d
  Box box = Box::data;
  double reach = 1.0;
  double margin = 0.05;
};

/// The settings of `spec`, bound for reading and writing by name.
[[nodiscard]] Fields fields_of(Augmentation& spec);

}  // namespace nomu
