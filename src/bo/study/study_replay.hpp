#pragma once
// The log of a study, played again from its beginning.

#include "bo/store/study_store.hpp"
#include "nomu/bo/study.hpp"

namespace nomu {

/// See Study::verify.
[[nodiscard]] VerifyReport replay(const StudyStore& store, Suggester& suggester, bool quick, const Progress& progress);

}  // namespace nomu
