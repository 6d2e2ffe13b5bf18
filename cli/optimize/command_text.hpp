#pragma once
// Shell commands with places for the values of a trial, and what they print.

#include <string>

#include "nomu/bo/study.hpp"

namespace nomu::cli {

/// The command with {name} replaced by the trial's value of that variable and {id} by the trial's number, unless a
/// variable is called id. Braces around what could be no name, as in awk '{print $1}', and those of ${HOME} stay as
/// they are. Throws DataError for a name that no variable has.
[[nodiscard]] std::string command_for(const std::string& command, const Space& space, const Trial& trial);

/// The last line that is not blank, without the blanks around it.
[[nodiscard]] std::string last_line(const std::string& text);

/// At most `most` bytes of the text, whole characters.
[[nodiscard]] std::string shortened(const std::string& text, std::size_t most);

}  // namespace nomu::cli
