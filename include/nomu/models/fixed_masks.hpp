#pragma once
/// MC dropout as a function of the row alone: each pass keeps its masks from row to row, so that it is one network with
/// some units left out, and the same row has the same prediction wherever it stands.

#include <memory>

#include "nomu/engine/engine.hpp"
#include "nomu/models/fitted.hpp"
#include "nomu/models/mc_dropout.hpp"

namespace nomu {

/// The cohort that was fitted with `spec`, predicting every row with the masks that a row alone would have. State and
/// reports are those of `fitted`. The engine must outlive the result.
[[nodiscard]] std::unique_ptr<FittedCohort> with_fixed_masks(const McDropoutSpec& spec, const FittedCohort& fitted,
                                                             Engine& engine);

}  // namespace nomu
