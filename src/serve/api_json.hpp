#pragma once
// Reading requests and writing answers in JSON.

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "nomu/bo/trial_io.hpp"
#include "nomu/core/error.hpp"

namespace nomu {

/// The study does not allow this now.
class NotNow : public Error {
 public:
  using Error::Error;
};

/// There is no such trial or path.
class NotThere : public Error {
 public:
  using Error::Error;
};

/// As text; bytes that are not UTF-8 are replaced.
[[nodiscard]] std::string text_of(const nlohmann::json& json);

[[nodiscard]] nlohmann::json json_of(const Space& space, const Trial& trial);

/// The body of a request: an object that has no other keys than these. An empty body is an empty object. Throws
/// DataError.
[[nodiscard]] nlohmann::json body_of(const std::string& body, std::initializer_list<std::string_view> keys);

/// A whole number from `low` to `high`. Throws DataError.
[[nodiscard]] std::int64_t whole_of(const nlohmann::json& value, std::string_view what, std::int64_t low,
                                    std::int64_t high);
/// The same from text; `fallback` if that is empty.
[[nodiscard]] std::int64_t whole_of(const std::string& text, std::string_view what, std::int64_t fallback,
                                    std::int64_t low, std::int64_t high);

/// A name of a worker: 200 bytes at most.
[[nodiscard]] std::string worker_of(const nlohmann::json& body);

}  // namespace nomu
