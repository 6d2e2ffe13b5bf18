#pragma once
// Whether the parts of a model, which may come from a file, belong together.

#include "nomu/models/model.hpp"

namespace nomu {

/// Throws DataError saying what does not match.
void check_parts(const ModelParts& parts, const FittedCohort& fitted);

}  // namespace nomu
