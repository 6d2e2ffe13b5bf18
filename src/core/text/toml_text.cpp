#include "core/text/toml_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "nomu/core/config.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr std::size_t most_parts = 32;  // of a dotted name; toml++ itself limits what stands in brackets

/// The last character of the string that begins with the quote at `begin`, or of the text.
std::size_t end_of_string(std::string_view text, std::size_t begin) {
  const std::string three(3, text[begin]);
  const bool lines = text.substr(begin, 3) == three;
  for (std::size_t i = begin + (lines ? 3 : 1); i < text.size(); ++i) {
    if (text[i] == '\\' && text[begin] == '"') {
      ++i;
    } else if (!lines && (text[i] == text[begin] || text[i] == '\n')) {
      return i;
    } else if (lines && text.substr(i, 3) == three) {
      // Up to two quotes before the last three belong to the string.
      return std::min({text.find_first_not_of(text[begin], i), i + 5, text.size()}) - 1;
    }
  }
  return text.size() - 1;
}

/// The first line with a name of too many parts, "a.b.c..."; 0 if there is none.
std::size_t line_of_long_name(std::string_view text) {
  std::size_t parts = 0;
  bool part = false;  // whether something stands before a dot, other than another dot
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.') {
      parts += part ? 1 : 0;
      part = false;
      const std::string_view before = text.substr(0, i);
      if (parts >= most_parts) return 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
    } else if (c == '"' || c == '\'') {
      i = end_of_string(text, i);
      part = true;
    } else if (c == '#') {
      i = std::min(text.find('\n', i), text.size()) - 1;
    } else if (c == '\n' || c == '=' || c == ',' || c == '[' || c == '{') {
      parts = 0;
      part = false;
    } else if (c != ' ' && c != '\t') {
      part = true;
    }
  }
  return 0;
}

[[noreturn]] void fail(std::string_view where, std::string_view source, std::size_t line, std::string_view message) {
  throw ConfigError(std::string(where), fmt::format("{}, line {}: {}", source, line, message));
}

}  // namespace

toml::table parse_toml(std::string_view text, std::string_view source, std::string_view where) {
  if (text.size() > most_toml_bytes)
    throw ConfigError(std::string(where), fmt::format("{}: it has {} bytes; settings have at most {}", source,
                                                      text.size(), most_toml_bytes));
  if (const std::size_t line = line_of_long_name(text); line > 0)
    fail(where, source, line, fmt::format("a name has more than {} parts", most_parts));
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    fail(where, source, error.source().begin.line, error.description());
  }
}

}  // namespace nomu
