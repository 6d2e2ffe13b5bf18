#pragma once
/// The artificial input points of term (c): how many per step, where, and by which rule.

#include <cstdint>

#include "nomu/core/fields.hpp"

namespace nomu {

struct Augmentation {
  enum class Kind {
    uniform,          ///< fresh uniform points every step
    low_discrepancy,  ///< a sequence that fills the box evenly, with a fresh shift every step
    grid,             ///< the same grid every step; `count` must be a d-th power
    given  ///< `Cohort::unlabelled`: all of them every step or, if there are more than `count`, a fresh draw of `count`
  };
  enum class Box {
    cube,  ///< [-reach, reach]^d
    data   ///< each member's own range of each input, widened on either side by the share `margin`
  };
  Kind kind = Kind::uniform;
  std::int64_t count = 0;  ///< per step; 0: chosen from n and d
  Box box = Box::data;
  double reach = 1.0;
  double margin = 0.05;
};

/// The settings of `spec`, bound for reading and writing by name.
[[nodiscard]] Fields fields_of(Augmentation& spec);

}  // namespace nomu
