#pragma once
/// TUBE (Appendix B.2.4 of the paper): NOMU's mean with the same uncertainty everywhere. A yardstick for metrics, which
/// a method that knows where it is unsure has to beat.

#include <memory>
#include <vector>

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

/// See `fit` of NomuSpec. Throws ConfigError also for a sigma that is not positive.
[[nodiscard]] std::unique_ptr<FittedCohort> fit(const TubeSpec& spec, const Cohort& cohort, Engine& engine,
                                                const Progress& progress = {});

/// See `restore` in models/method.
[[nodiscard]] std::unique_ptr<FittedCohort> restore(const TubeSpec& spec, const FittedState& state,
                                                    std::vector<FitReport> reports, Engine& engine);

}  // namespace nomu
