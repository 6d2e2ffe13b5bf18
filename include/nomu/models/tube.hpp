#pragma once
/// TUBE (Appendix B.2.4 of the paper): NOMU's mean with the same uncertainty everywhere. A yardstick for metrics, which
/// a method that knows where it is unsure has to beat.

#include <cstddef>

#include "nomu/core/fields.hpp"
#include "nomu/core/progress.hpp"
#include "nomu/data/cohort.hpp"
#include "nomu/engine/engine.hpp"
#include "nomu/models/fitted.hpp"
#include "nomu/models/nomu.hpp"

namespace nomu {

struct TubeSpec {
  NomuSpec nomu;       ///< whose mean it is
  double sigma = 1.0;  ///< before calibration, which is to find the right one
};

[[nodiscard]] Fields fields_of(TubeSpec& spec);

/// The spec with all that is left to be chosen filled in, as NOMU's is.
[[nodiscard]] TubeSpec resolved(const TubeSpec& spec, std::size_t rows, std::size_t cols);

}  // namespace nomu
