#pragma once
// Evaluates a trial with a shell command.

#include <string>

#include "bo/worker/evaluation.hpp"
#include "nomu/bo/space.hpp"

namespace nomu {

/// Evaluates trials with this command. Throws DataError if the command names an unknown variable.
[[nodiscard]] StartEvaluation command_evaluations(const std::string& command, const Space& space);

}  // namespace nomu
