#pragma once
// NOMU fits that continue from an earlier one.

#include "models/network/methods.hpp"

namespace nomu {

/// A single-stage fit that starts from the parameters of `before`; see warm_start.
[[nodiscard]] FittedPointer fit_joint_on(const NomuSpec& spec, const FittedCohort& before, const Cohort& cohort,
                                         Engine& engine, const Progress& progress);

}  // namespace nomu
