#pragma once
// Evaluates a trial with a function of this process.

#include "bo/worker/evaluation.hpp"

namespace nomu {

/// Evaluates each trial with this function, on a thread of its own.
[[nodiscard]] StartEvaluation function_evaluations(const std::function<double(const Trial&)>& evaluate);

}  // namespace nomu
