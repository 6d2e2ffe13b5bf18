#pragma once
// JSON from outside. nlohmann::json copies, compares and writes nested values by recursion, so what is nested too
// deeply would end the process.

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>

namespace nomu {

constexpr std::size_t deepest_json = 64;  ///< far more than anything of nomu has

/// Whether lists and objects are nested beyond `deepest_json`.
[[nodiscard]] inline bool nested_too_deeply(std::string_view text) {
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') ++i;
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if ((c == '[' || c == '{') && ++depth > deepest_json) return true;
    if ((c == ']' || c == '}') && depth > 0) --depth;
  }
  return false;
}

/// What the JSON library says, without the name of its error in front: "[json.exception.type_error.302] type must be".
[[nodiscard]] inline std::string_view reason_of(const nlohmann::json::exception& error) {
  const std::string_view what = error.what();
  const std::size_t front = what.find("] ");
  return front == std::string_view::npos ? what : what.substr(front + 2);
}

/// The value that the text describes; discarded if there is none, or it is nested too deeply.
[[nodiscard]] inline nlohmann::json parse_json(std::string_view text) {
  if (nested_too_deeply(text)) return {nlohmann::json::value_t::discarded};
  return nlohmann::json::parse(text, nullptr, false);
}

}  // namespace nomu
