#pragma once
/// TUBE (Appendix B.2.4 of the paper): NOMU's mean with the same uncertainty everywhere. A baseline for metrics that a
/// method must beat if it knows where it is uncertain.

#include <cstddef>

#include "nomu/core/fields.hpp"
#include "nomu/core/progress.hpp"
#include "nomu/data/cohort.hpp"
#include "nomu/engine/engine.hpp"
#include "nomu/models/fitted.hpp"
#include "nomu/models/nomu.hpp"

namespace nomu {

struct TubeSpec {
  NomuSpec nomu;       ///< provides the mean
  double sigma = 1.0;  ///< before calibration, which finds the right one
};

[[nodiscard]] Fields fields_of(TubeSpec& spec);

/// The spec with all automatic choices made, as for NOMU.
[[nodiscard]] TubeSpec resolved(const TubeSpec& spec, std::size_t rows, std::size_t cols);

}  // namespace nomu
