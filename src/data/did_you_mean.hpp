#pragma once
/// Suggestions for error messages about unknown names. Used wherever a name typed by the user is looked up.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace nomu {

/// "; did you mean 'y'?" with the nearest candidate, ignoring case; empty when none is near.
[[nodiscard]] std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

/// A name or a cell as messages and notes repeat it: without control characters, and the middle of a long one left out.
[[nodiscard]] std::string as_shown(std::string_view text);

/// "'a', 'b', 'c'"; after `limit` names, only the number of the rest.
[[nodiscard]] std::string quoted_list(std::span<const std::string> names, std::size_t limit = 40);

}  // namespace nomu
