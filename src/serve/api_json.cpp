#include "serve/api_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "core/text/json_text.hpp"

namespace nomu {
namespace {

constexpr std::size_t longest_worker = 200;

[[noreturn]] void refuse_number(std::string_view what, std::int64_t low, std::int64_t high) {
  throw DataError("serve", fmt::format("{} must be a whole number from {} to {}", what, low, high));
}

}  // namespace

std::string text_of(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

nlohmann::json json_of(const Space& space, const Trial& trial) {
  return nlohmann::json::parse(trial_to_json(space, trial));
}

nlohmann::json body_of(const std::string& body, std::initializer_list<std::string_view> keys) {
  nlohmann::json all = body.empty() ? nlohmann::json::object() : parse_json(body);
  if (!all.is_object()) throw DataError("serve", "the body must be one JSON object");
  for (const auto& [key, value] : all.items()) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    throw DataError("serve", fmt::format("unknown key '{}'; this request takes {}", key.substr(0, 100),
                                         keys.size() == 0 ? "none" : fmt::format("{}", fmt::join(keys, ", "))));
  }
  return all;
}

std::int64_t whole_of(const nlohmann::json& value, std::string_view what, std::int64_t low, std::int64_t high) {
  const bool fits = value.is_number_unsigned() ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(high)
                                               : value.is_number_integer() && value.get<std::int64_t>() <= high;
  if (!fits || value.get<std::int64_t>() < low) refuse_number(what, low, high);
  return value.get<std::int64_t>();
}

std::int64_t whole_of(const std::string& text, std::string_view what, std::int64_t fallback, std::int64_t low,
                      std::int64_t high) {
  if (text.empty()) return fallback;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < low || value > high)
    refuse_number(what, low, high);
  return value;
}

std::string worker_of(const nlohmann::json& body) {
  if (!body.contains("worker")) return {};
  const nlohmann::json& worker = body["worker"];
  if (!worker.is_string() || worker.get<std::string>().size() > longest_worker)
    throw DataError("serve", "worker must be a text of at most 200 bytes");
  return worker.get<std::string>();
}

}  // namespace nomu
