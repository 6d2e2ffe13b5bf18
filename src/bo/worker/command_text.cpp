#include "bo/worker/command_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string_view>

#include "nomu/core/error.hpp"

namespace nomu {
namespace {

bool is_letter_or_digit(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

/// Whether a shell reads the text as itself, wherever it stands.
bool is_plain(const std::string& text) {
  const auto plain = [](char c) {
    return is_letter_or_digit(c) || std::string_view("+-._/,:=@%").find(c) != std::string_view::npos;
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), plain);
}

/// Whether any value of the variable is more than a plain word.
bool needs_care(const Variable& variable) {
  return !std::all_of(variable.choices.begin(), variable.choices.end(), is_plain);
}

/// Where a shell would be after reading a command up to some character. Placeholders are only safe outside quotes: the
/// quotes around a reference to a variable would end the user's own.
class ShellText {
 public:
  /// Whether the next character is quoted.
  [[nodiscard]] bool quoted() const { return escaped_ || quote_ != '\0'; }

  void read(char c) {
    if (escaped_) {
      escaped_ = false;
    } else if (c == '\\' && quote_ != '\'') {
      escaped_ = true;
    } else if (quote_ != '\0') {
      if (c == quote_) quote_ = '\0';
    } else if (c == '\'' || c == '"' || c == '`') {
      quote_ = c;
    }
  }

 private:
  char quote_ = '\0';
  bool escaped_ = false;
};

/// Whether text in braces may have been meant as the name of a variable.
bool looks_like_a_name(std::string_view text) {
  const auto part = [](char c) { return is_letter_or_digit(c) || c == '_' || c == '-' || c == '.'; };
  return !text.empty() && std::all_of(text.begin(), text.end(), part);
}

/// The environment variable that holds the value of a variable.
std::string environment_name(const Space& space, std::size_t j) {
  const std::string& name = space.variables()[j].name;
  const auto part = [](char c) { return is_letter_or_digit(c) || c == '_'; };
  const bool identifier = std::all_of(name.begin(), name.end(), part) &&
                          std::isdigit(static_cast<unsigned char>(name.front())) == 0 && name != "ID";
  return identifier ? "NOMU_" + name : fmt::format("NOMU_{}", j + 1);
}

/// Plain words are put into the command as they are. Others never become a part of it, so that nothing in them can be
/// taken for shell: the command refers to them.
std::string value_text(const Space& space, std::size_t j, const Trial& trial, bool quoted) {
  const std::string name = environment_name(space, j);
  if (quoted && needs_care(space.variables()[j])) {
    throw DataError("bo/worker", fmt::format("the command contains {{{}}} inside quotes, which would end where the "
                                             "value's own quotes begin; write it without quotes, or \"${}\"",
                                             space.variables()[j].name, name));
  }
  if (!space.active(j, trial.point)) return {};
  const std::string text = space.text(j, trial.point[j]);
  return is_plain(text) ? text : fmt::format("\"${{{}}}\"", name);
}

/// The text that replaces {name}; {name} itself if it is no placeholder.
std::string replacement(const std::string& name, const Space& space, const Trial& trial, bool quoted) {
  const auto& variables = space.variables();
  const auto found =
      std::find_if(variables.begin(), variables.end(), [&](const Variable& v) { return v.name == name; });
  if (found != variables.end()) {
    return value_text(space, static_cast<std::size_t>(found - variables.begin()), trial, quoted);
  }
  if (name == "id") return fmt::format("{}", trial.id);
  if (!looks_like_a_name(name)) return "{" + name + "}";
  try {
    (void)space.index_of(name);
  } catch (const DataError& error) {
    throw DataError("bo/worker",
                    fmt::format("the command contains {{{}}}: {}; to keep braces as they are, put blanks inside them",
                                name, error.what()));
  }
  return {};
}

}  // namespace

std::string command_for(const std::string& command, const Space& space, const Trial& trial) {
  std::string result;
  ShellText shell;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const bool of_shell = i > 0 && command[i - 1] == '$';
    const std::size_t end = command[i] == '{' && !of_shell ? command.find_first_of("{}", i + 1) : std::string::npos;
    if (end == std::string::npos || command[end] == '{') {
      result += command[i];
      shell.read(command[i]);
      continue;
    }
    const std::string name = command.substr(i + 1, end - i - 1);
    const std::string text = replacement(name, space, trial, shell.quoted());
    // Braces that are no placeholder are the user's own text, quotes and all.
    for (const char c : text == "{" + name + "}" ? text : std::string("x")) shell.read(c);
    result += text;
    i = end;
  }
  return result;
}

std::vector<std::string> environment_for(const Space& space, const Trial& trial) {
  std::vector<std::string> all{fmt::format("NOMU_ID={}", trial.id)};
  const std::vector<bool> active = space.active(trial.point);
  for (std::size_t j = 0; j < space.size(); ++j) {
    if (active[j]) all.push_back(environment_name(space, j) + "=" + space.text(j, trial.point[j]));
  }
  return all;
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

}  // namespace nomu
