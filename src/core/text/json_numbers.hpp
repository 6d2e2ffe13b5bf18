#pragma once
// Whole numbers from untrusted JSON. nlohmann::json converts any number to any type, which is undefined for those that
// do not fit.

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

namespace nomu {

/// A whole number that is not negative. Throws nlohmann::json::exception for anything else.
[[nodiscard]] inline std::uint64_t whole_number(const nlohmann::json& value) {
  return value.get_ref<const nlohmann::json::number_unsigned_t&>();
}

[[nodiscard]] inline std::vector<std::size_t> whole_numbers(const nlohmann::json& list) {
  std::vector<std::size_t> numbers;
  for (const nlohmann::json& value : list) numbers.push_back(whole_number(value));
  return numbers;
}

}  // namespace nomu
