#pragma once
// Replays the log of a study from its beginning.

#include "bo/search/suggester.hpp"
#include "bo/store/study_store.hpp"
#include "nomu/bo/study.hpp"

namespace nomu {

/// See Study::verify.
[[nodiscard]] VerifyReport replay(const StudyStore& store, Suggester& suggester, bool quick, const Progress& progress);

}  // namespace nomu
