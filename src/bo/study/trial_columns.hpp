#pragma once
// The names of the columns of a table of trials.

#include <algorithm>
#include <string>

#include "nomu/bo/space.hpp"

namespace nomu {

/// The tool's own column of this name: variables keep theirs, so that one of the same name makes it "trial_".
inline std::string own_column(const Space& space, std::string name) {
  const auto is_variable = [&](const Variable& variable) { return variable.name == name; };
  while (std::ranges::any_of(space.variables(), is_variable)) name += "_";
  return name;
}

}  // namespace nomu
