#pragma once
// Shell commands with placeholders for the values of a trial, and the text that they print.

#include <string>
#include <vector>

#include "nomu/bo/trial.hpp"

namespace nomu {

/// Replaces {name} by the trial's value of that variable, and {id} by the number of the trial unless a variable is
/// called id. Values that are not plain words are not inserted into the command; it refers to `environment_for`
/// instead. Braces around text that cannot be a name, as in awk '{print $1}', and those of ${HOME} are kept. Throws
/// DataError for a name that no variable has, for one inside quotes whose values may not be plain words, or where that
/// is unclear, and for values that are too long for a command.
[[nodiscard]] std::string command_for(const std::string& command, const Space& space, const Trial& trial);

/// The trial as environment variables of the command, "NAME=text": NOMU_ID, and NOMU_x for a variable x; if its name
/// cannot be one of an environment variable, or is ID, NOMU_2 for the second variable. Variables with choices that are
/// too long for an environment are left out.
[[nodiscard]] std::vector<std::string> environment_for(const Space& space, const Trial& trial);

/// The names of all environment variables that may hold a part of a trial. Those that `environment_for` leaves out must
/// not be there at all: the tool's own environment may have some of that name.
[[nodiscard]] std::vector<std::string> environment_names(const Space& space);

/// The last line that is not blank, without leading and trailing blanks.
[[nodiscard]] std::string last_line(const std::string& text);

}  // namespace nomu
