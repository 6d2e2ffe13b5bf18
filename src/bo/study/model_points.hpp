#pragma once
// Trials whose points come from a model: one fit serves all requests that wait for a point.

#include "bo/search/suggester.hpp"
#include "bo/store/study_store.hpp"

namespace nomu {

/// Up to as many trials as there are askers; fewer if no more are left. While another process fits a model, waits for
/// the points that it leaves; otherwise fits one and leaves points for all requests that wait by then. Throws
/// Cancelled.
[[nodiscard]] std::vector<Trial> ask_model(const StudyStore& store, Suggester& suggester,
                                           const StudyStore::Askers& askers, const Progress& progress);

}  // namespace nomu
