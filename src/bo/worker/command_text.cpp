#include "bo/worker/command_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string_view>

#include "nomu/core/error.hpp"

namespace nomu {
namespace {

/// Quotes the text so that a shell reads it as one word.
std::string quoted(const std::string& text) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("+-._/,:=@%").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return text;
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

/// Whether text in braces may have been meant as the name of a variable.
bool looks_like_a_name(std::string_view text) {
  const auto part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), part);
}

/// The text that replaces {name}; {name} itself if it is no placeholder.
std::string replacement(const std::string& name, const Space& space, const Trial& trial) {
  const auto& variables = space.variables();
  const auto found =
      std::find_if(variables.begin(), variables.end(), [&](const Variable& v) { return v.name == name; });
  if (found != variables.end()) {
    const auto j = static_cast<std::size_t>(found - variables.begin());
    return quoted(space.text(j, trial.point[j]));
  }
  if (name == "id") return fmt::format("{}", trial.id);
  if (!looks_like_a_name(name)) return "{" + name + "}";
  try {
    (void)space.index_of(name);
  } catch (const DataError& error) {
    throw DataError("bo/worker", fmt::format("the command contains {{{}}}: {}; blanks inside the braces keep them",
                                             name, error.what()));
  }
  return {};
}

}  // namespace

std::string command_for(const std::string& command, const Space& space, const Trial& trial) {
  std::string result;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const bool of_shell = i > 0 && command[i - 1] == '$';
    const std::size_t end = command[i] == '{' && !of_shell ? command.find_first_of("{}", i + 1) : std::string::npos;
    if (end == std::string::npos || command[end] == '{') {
      result += command[i];
      continue;
    }
    result += replacement(command.substr(i + 1, end - i - 1), space, trial);
    i = end;
  }
  return result;
}

std::string last_line(const std::string& text) {
  std::istringstream lines(text);
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(" \t\r") != std::string::npos) last = line;
  }
  const std::size_t begin = last.find_first_not_of(" \t\r");
  return begin == std::string::npos ? "" : last.substr(begin, last.find_last_not_of(" \t\r") + 1 - begin);
}

std::string shortened(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) --most;
  return text.substr(0, most);
}

}  // namespace nomu
