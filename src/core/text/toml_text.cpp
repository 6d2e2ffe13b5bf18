#include "core/text/toml_text.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <string>

#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr std::size_t most_parts = 32;  // of a dotted name; toml++ itself limits what stands in brackets

/// The first line with a name of too many parts, "a.b.c...", in quotes or not; 0 if there is none.
std::size_t line_of_long_name(std::string_view text) {
  std::size_t line = 1;
  std::size_t parts = 0;
  bool part = false;  // whether something stands before a dot, other than another dot
  for (const char c : text) {
    if (c == '.') {
      parts += part ? 1 : 0;
      part = false;
      if (parts >= most_parts) return line;
    } else if (c == '\n' || c == '=' || c == ',' || c == '[' || c == '{' || c == '#') {
      parts = 0;
      part = false;
    } else if (c != ' ' && c != '\t') {
      part = true;
    }
    if (c == '\n') ++line;
  }
  return 0;
}

[[noreturn]] void fail(std::string_view where, std::string_view source, std::size_t line, std::string_view message) {
  throw ConfigError(std::string(where), fmt::format("{}, line {}: {}", source, line, message));
}

}  // namespace

toml::table parse_toml(std::string_view text, std::string_view source, std::string_view where) {
  if (const std::size_t line = line_of_long_name(text); line > 0)
    fail(where, source, line, fmt::format("a name has more than {} parts", most_parts));
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    fail(where, source, error.source().begin.line, error.description());
  }
}

}  // namespace nomu
