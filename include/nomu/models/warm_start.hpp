#pragma once
/// Fits that continue from an earlier one: networks already trained on almost the same rows need fewer steps than new
/// ones. The optimiser is reset, and all randomness comes from the cohort's seeds as usual.

#include <memory>

#include "nomu/models/method.hpp"

namespace nomu {

/// Whether `continue_fit` supports this spec: only NOMU trained in one stage.
[[nodiscard]] bool can_continue(const MethodSpec& spec);

/// Fits the cohort, every member starting from its parameters in `before`, a fit with the same number of members and
/// the same networks; a member whose parameters are not finite starts from scratch. Throws ConfigError for a spec that
/// `can_continue` rejects, DataError if the earlier fit does not match it.
[[nodiscard]] std::unique_ptr<FittedCohort> continue_fit(const MethodSpec& spec, const FittedCohort& before,
                                                         const Cohort& cohort, Engine& engine,
                                                         const Progress& progress = {});

}  // namespace nomu
