#pragma once
/// Fits that go on from an earlier one: networks that saw almost the same rows before need fewer steps than new ones.
/// The optimiser starts anew, and what is random in a fit comes from the cohort's seeds as ever.

#include <memory>

#include "nomu/models/method.hpp"

namespace nomu {

/// Whether `fit_on` can be asked for this spec: NOMU trained in one stage.
[[nodiscard]] bool can_go_on(const MethodSpec& spec);

/// Fits the cohort, every member starting from its parameters in `before`, a fit of equally many members and the same
/// networks; a member whose parameters are not finite starts anew. Throws ConfigError for a spec that cannot go on,
/// DataError where the earlier fit does not match it.
[[nodiscard]] std::unique_ptr<FittedCohort> fit_on(const MethodSpec& spec, const FittedCohort& before,
                                                   const Cohort& cohort, Engine& engine, const Progress& progress = {});

}  // namespace nomu
