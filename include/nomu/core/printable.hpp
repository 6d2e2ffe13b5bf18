#pragma once
/// Makes text from files and names safe to print: it cannot send control sequences to a terminal.

#include <cstddef>
#include <string>
#include <string_view>

namespace nomu {

/// The text with control characters, except for line ends and tabs, written as \x1b and the like.
[[nodiscard]] std::string printable(std::string_view text);

/// The same, with the middle left out if there are more than `most` bytes; cut between characters.
[[nodiscard]] std::string printable(std::string_view text, std::size_t most);

}  // namespace nomu
