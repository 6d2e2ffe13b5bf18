#pragma once
// Shell commands with placeholders for the values of a trial, and the text that they print.

#include <string>

#include "nomu/bo/trial.hpp"

namespace nomu {

/// Replaces {name} by the trial's value of that variable, and {id} by the number of the trial unless a variable is
/// called id. Braces around text that cannot be a name, as in awk '{print $1}', and those of ${HOME} are kept. Throws
/// DataError for a name that no variable has.
[[nodiscard]] std::string command_for(const std::string& command, const Space& space, const Trial& trial);

/// The last line that is not blank, without leading and trailing blanks.
[[nodiscard]] std::string last_line(const std::string& text);

/// At most the first `most` bytes of the text, cut between characters.
[[nodiscard]] std::string shortened(const std::string& text, std::size_t most);

}  // namespace nomu
