#include "bo/worker/command_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string_view>
#include <utility>

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
  /// Whether that is uncertain: quotes inside quotes, here-documents and quotes in comments take a whole shell to read.
  [[nodiscard]] bool unclear() const { return unclear_; }

  void read(char c) {
    const char before = std::exchange(before_, escaped_ ? 'x' : c);
    if (c == '\n') comment_ = false;
    if (escaped_) {
      escaped_ = false;
      if (c == '\n') before_ = before_escape_;  // shells take both out before they read on
    } else if (comment_ || braces_) {
      if (c == '\'' || c == '"' || c == '`' || c == '\\' || (c == '$' && braces_)) unclear_ = true;
      if (c == '}') braces_ = false;
    } else if (c == '\\' && quote_ != '\'') {
      escaped_ = true;
      before_escape_ = before;
    } else if (quote_ != '\0') {
      read_quoted(c, before);
    } else {
      read_plain(c, before);
    }
  }

 private:
  void read_quoted(char c, char before) {
    if (c == quote_) {
      quote_ = '\0';
    } else if (quote_ == '"') {
      braces_ = before == '$' && c == '{';
      if (c == '`' || (before == '$' && c == '(')) unclear_ = true;
    }
  }

  void read_plain(char c, char before) {
    constexpr std::string_view ends_of_words(" \t\n;&|()<>");
    if (c == '\'' || c == '"' || c == '`') {
      quote_ = c;
      if (c == '\'' && before == '$') unclear_ = true;  // shells differ in what a backslash does there
    } else if (c == '#') {
      comment_ = before == '\0' || ends_of_words.find(before) != std::string_view::npos;
    } else if (c == '<' && before == '<') {
      unclear_ = true;
    }
  }

  char quote_ = '\0';
  char before_ = '\0';  // 'x' after a backslash and what it escapes
  char before_escape_ = '\0';
  bool escaped_ = false;
  bool comment_ = false;
  bool braces_ = false;  // in ${...} inside double quotes
  bool unclear_ = false;
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

// Linux takes 128 KiB for one argument or variable, and 2 MiB for all of them and the environment of the tool itself.
constexpr std::size_t longest_value = 100000;
constexpr std::size_t longest_environment = 1000000;
constexpr std::size_t longest_command = 131000;

std::size_t longest_text(const Variable& variable) {
  std::size_t longest = 32;  // a number
  for (const std::string& choice : variable.choices) longest = std::max(longest, choice.size());
  return longest;
}

/// Which variables are in the environment of commands; the same ones for all trials.
std::vector<bool> in_environment(const Space& space) {
  std::vector<bool> all(space.size());
  std::size_t size = 0;
  for (std::size_t j = 0; j < space.size(); ++j) {
    const std::size_t more = environment_name(space, j).size() + longest_text(space.variables()[j]) + 16;
    all[j] = more <= longest_value && size + more <= longest_environment;
    if (all[j]) size += more;
  }
  return all;
}

/// Throws DataError if values of the variable cannot be where the command has its placeholder.
void check_placeholder(const Space& space, std::size_t j, const ShellText& shell) {
  const Variable& v = space.variables()[j];
  if (longest_text(v) > longest_value || (needs_care(v) && !in_environment(space)[j])) {
    throw DataError("bo/worker", fmt::format("the command contains {{{}}}, but choices of that variable are too long "
                                             "for a command, up to {} bytes; read them from standard input, where the "
                                             "trial is JSON",
                                             v.name, longest_text(v)));
  }
  if (!needs_care(v)) return;
  const std::string name = environment_name(space, j);
  if (shell.quoted()) {
    throw DataError("bo/worker", fmt::format("the command contains {{{}}} inside quotes, which would end where the "
                                             "value's own quotes begin; write it without quotes, or \"${}\"",
                                             v.name, name));
  }
  if (shell.unclear()) {
    throw DataError("bo/worker", fmt::format("the command contains {{{}}} after quotes inside quotes, a here-document "
                                             "or a comment with a quote, where it may be inside quotes; write \"${}\"",
                                             v.name, name));
  }
}

/// Plain words are put into the command as they are. Others never become a part of it, so that nothing in them can be
/// taken for shell: the command refers to them.
std::string value_text(const Space& space, std::size_t j, const Trial& trial, const ShellText& shell) {
  check_placeholder(space, j, shell);
  if (!space.active(j, trial.point)) return {};
  const std::string text = space.text(j, trial.point[j]);
  return is_plain(text) ? text : fmt::format("\"${{{}}}\"", environment_name(space, j));
}

/// The text that replaces {name}; {name} itself if it is no placeholder.
std::string replacement(const std::string& name, const Space& space, const Trial& trial, const ShellText& shell) {
  const auto& variables = space.variables();
  const auto found =
      std::find_if(variables.begin(), variables.end(), [&](const Variable& v) { return v.name == name; });
  if (found != variables.end()) {
    return value_text(space, static_cast<std::size_t>(found - variables.begin()), trial, shell);
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
    const std::string text = replacement(name, space, trial, shell);
    // Braces that are no placeholder are the user's own text, quotes and all.
    for (const char c : text == "{" + name + "}" ? text : std::string("x")) shell.read(c);
    result += text;
    i = end;
  }
  if (result.size() > longest_command) {
    throw DataError("bo/worker",
                    fmt::format("with the values of trial {} the command has {} bytes, and the system takes "
                                "{}; read values from standard input, where the trial is JSON",
                                trial.id, result.size(), longest_command));
  }
  return result;
}

std::vector<std::string> environment_for(const Space& space, const Trial& trial) {
  std::vector<std::string> all{fmt::format("NOMU_ID={}", trial.id)};
  const std::vector<bool> active = space.active(trial.point);
  const std::vector<bool> kept = in_environment(space);
  for (std::size_t j = 0; j < space.size(); ++j) {
    if (active[j] && kept[j]) all.push_back(environment_name(space, j) + "=" + space.text(j, trial.point[j]));
  }
  return all;
}

std::vector<std::string> environment_names(const Space& space) {
  std::vector<std::string> all{"NOMU_ID"};
  for (std::size_t j = 0; j < space.size(); ++j) all.push_back(environment_name(space, j));
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
