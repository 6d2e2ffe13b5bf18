#pragma once
/// Wording for names that were not found. Used wherever a name that the user typed is looked up.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace nomu {

/// "; did you mean 'y'?" with the nearest candidate, ignoring case, or the empty text when none is near.
[[nodiscard]] std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

/// "'a', 'b', 'c'", cut off with a count after `limit` names.
[[nodiscard]] std::string quoted_list(std::span<const std::string> names, std::size_t limit = 40);

}  // namespace nomu
