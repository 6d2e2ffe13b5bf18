#pragma once
// JSON from outside. nlohmann::json copies, compares and writes nested values by recursion, so what is nested too
// deeply would end the process.

#include <cstddef>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

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

/// A key that an object of the text has twice, of which only the last value would count; empty if there is none.
[[nodiscard]] inline std::string repeated_key(std::string_view text) {
  if (nested_too_deeply(text)) return {};
  std::vector<std::set<std::string>> open;
  std::string repeated;
  using Json = nlohmann::json;
  const auto look = [&](int /*depth*/, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key && !open.back().insert(parsed.get<std::string>()).second)
      repeated = parsed.get<std::string>();
    return true;
  };
  [[maybe_unused]] const Json all = Json::parse(text, look, false);
  return repeated;
}

}  // namespace nomu
