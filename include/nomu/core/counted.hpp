#pragma once
/// Numbers of things in sentences for people.

#include <string>
#include <string_view>

namespace nomu {

/// "1 row", "3 rows".
template <class Count>
[[nodiscard]] std::string counted(Count count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

/// The verb that goes with the number.
template <class Count>
[[nodiscard]] std::string_view was_or_were(Count count) {
  return count == 1 ? "was" : "were";
}

}  // namespace nomu
