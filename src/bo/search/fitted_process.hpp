#pragma once
// A process of the results as a fitted model, for reports and pages that show what a study has learned.

#include <memory>

#include "bo/surrogate/learned.hpp"
#include "nomu/models/fitted.hpp"

namespace nomu {

/// Predicts results on the scale where `worst` is -1 and `best` is 1, both larger if better. It cannot be saved.
[[nodiscard]] std::shared_ptr<FittedCohort> fitted_process(std::shared_ptr<const Learned> learned, double worst,
                                                           double best);

}  // namespace nomu
