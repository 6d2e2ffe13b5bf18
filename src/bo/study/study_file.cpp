// Reading a space and the settings of a study from TOML.

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>

#include "core/text/toml_numbers.hpp"
#include "core/text/toml_text.hpp"
#include "nomu/bo/study.hpp"
#include "nomu/core/config.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

/// One table of the file, read key by key; keys that are not listed are errors.
class Reader {
 public:
  Reader(const toml::table& table, std::string_view source, std::string what, std::vector<std::string> keys)
      : table_(table), source_(source), what_(std::move(what)), keys_(std::move(keys)) {
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      if (std::find(keys_.begin(), keys_.end(), name) != keys_.end()) continue;
      const std::string near = nearest(name, keys_);
      fail(key.source(), fmt::format("{} has no key '{}'{}", what_, name,
                                     near.empty() ? fmt::format("; it may have {}", fmt::join(keys_, ", "))
                                                  : fmt::format(", did you mean '{}'?", near)));
    }
  }

  [[noreturn]] void fail(const toml::source_region& place, std::string_view message) const {
    throw ConfigError("bo/study", fmt::format("{}, line {}: {}", source_, place.begin.line, message));
  }
  [[noreturn]] void fail(std::string_view message) const { fail(table_.source(), message); }

  [[nodiscard]] const toml::node* find(std::string_view key) const { return table_.get(key); }
  [[nodiscard]] std::string text(std::string_view key, std::string fallback) const {
    const toml::node* node = find(key);
    if (node == nullptr) return fallback;
    if (!node->is_string()) fail(node->source(), fmt::format("{} must be text in quotes", key));
    return node->as_string()->get();
  }
  [[nodiscard]] std::optional<double> number(std::string_view key) const {
    const toml::node* node = find(key);
    if (node == nullptr) return {};
    if (!node->is_number()) fail(node->source(), fmt::format("{} must be a number", key));
    return nearest_double(*node);
  }
  [[nodiscard]] double required(std::string_view key) const {
    const std::optional<double> value = number(key);
    if (!value) fail(fmt::format("{} needs the key '{}'", what_, key));
    return *value;
  }
  [[nodiscard]] std::vector<std::string> texts(std::string_view key) const {
    std::vector<std::string> list;
    const toml::node* node = find(key);
    if (node == nullptr) return list;
    if (!node->is_array()) fail(node->source(), fmt::format("{} must be a list of texts", key));
    for (const toml::node& element : *node->as_array()) {
      if (!element.is_string()) fail(element.source(), fmt::format("{} must be a list of texts", key));
      list.push_back(element.as_string()->get());
    }
    return list;
  }

 private:
  const toml::table& table_;
  std::string_view source_;
  std::string what_;
  std::vector<std::string> keys_;
};

/// when = {solver = "cg", stages = [2, 3]}
std::vector<Condition> conditions_of(const Reader& reader) {
  std::vector<Condition> conditions;
  const toml::node* when = reader.find("when");
  if (when == nullptr) return conditions;
  const char* form =
      "when must be of the form {variable = value} or {variable = [value, value]}, with texts or whole "
      "numbers as values";
  if (!when->is_table() || when->as_table()->empty()) reader.fail(when->source(), form);
  const auto text_of = [&](const toml::node& value) {
    if (value.is_string()) return value.as_string()->get();
    if (!value.is_integer()) reader.fail(value.source(), form);
    return fmt::format("{}", value.as_integer()->get());
  };
  for (const auto& [key, node] : *when->as_table()) {
    Condition& condition = conditions.emplace_back(Condition{.variable = std::string(key.str()), .values = {}});
    if (!node.is_array()) {
      condition.values.push_back(text_of(node));
      continue;
    }
    for (const toml::node& value : *node.as_array()) condition.values.push_back(text_of(value));
  }
  return conditions;
}

Variable variable_of(const toml::table& table, std::string_view source) {
  const Reader reader(table, source, "a variable", {"name", "type", "low", "high", "scale", "choices", "unit", "when"});
  Variable v{.name = reader.text("name", ""),
             .choices = reader.texts("choices"),
             .unit = reader.text("unit", ""),
             .when = conditions_of(reader)};
  if (v.name == "id") {
    reader.fail(
        "a variable cannot be called 'id': commands of 'nomu optimize run' use that name for the number of the "
        "trial");
  }
  const std::string type = reader.text("type", "real");
  const std::string scale = reader.text("scale", "linear");
  if (scale != "linear" && scale != "log") reader.fail(fmt::format("scale must be linear or log, got '{}'", scale));
  v.log = scale == "log";
  if (type == "categorical") {
    v.kind = Variable::Kind::categorical;
    if (reader.find("low") != nullptr || reader.find("high") != nullptr) {
      reader.fail(fmt::format("variable '{}': a categorical variable has choices, no bounds", v.name));
    }
    return v;
  }
  if (type != "real" && type != "integer") {
    reader.fail(fmt::format("type must be real, integer or categorical, got '{}'", type));
  }
  if (!v.choices.empty()) reader.fail(fmt::format("variable '{}': only a categorical variable has choices", v.name));
  if (type == "integer") v.kind = Variable::Kind::integer;
  v.low = reader.required("low");
  v.high = reader.required("high");
  return v;
}

LinearConstraint constraint_of(const toml::table& table, std::string_view source) {
  const Reader reader(table, source, "a constraint", {"terms", "at_least", "at_most"});
  LinearConstraint constraint{.terms = {}, .at_least = reader.number("at_least"), .at_most = reader.number("at_most")};
  const toml::node* terms = reader.find("terms");
  if (terms == nullptr || !terms->is_table()) reader.fail("a constraint needs terms = {variable = coefficient, ...}");
  for (const auto& [key, node] : *terms->as_table()) {
    if (!node.is_number()) reader.fail(node.source(), "a coefficient must be a number");
    constraint.terms.push_back({std::string(key.str()), nearest_double(node)});
  }
  return constraint;
}

/// Calls `use` for each table of [[key]].
template <class F>
void each_table(const Reader& reader, std::string_view key, const F& use) {
  const toml::node* node = reader.find(key);
  if (node == nullptr) return;
  if (!node->is_array()) reader.fail(node->source(), fmt::format("write [[{}]], once for each", key));
  for (const toml::node& element : *node->as_array()) {
    if (!element.is_table()) reader.fail(element.source(), fmt::format("write [[{}]], once for each", key));
    use(*element.as_table());
  }
}

/// Its errors name the file.
Space space_of(std::vector<Variable> variables, std::vector<LinearConstraint> constraints, std::string_view source) {
  try {
    return Space(std::move(variables), std::move(constraints));
  } catch (const ConfigError& error) {
    throw ConfigError("bo/study", fmt::format("{}: {}", source, error.message()));
  } catch (const DataError& error) {
    throw DataError("bo/study", fmt::format("{}: {}", source, error.message()));
  }
}

}  // namespace

StudyFile parse_study_file(std::string_view text, std::string_view source) {
  const toml::table root = parse_toml(text, source, "bo/study");
  const Reader reader(root, source, "the file", {"variables", "constraints", "study"});
  std::vector<Variable> variables;
  std::vector<LinearConstraint> constraints;
  each_table(reader, "variables", [&](const toml::table& t) { variables.push_back(variable_of(t, source)); });
  each_table(reader, "constraints", [&](const toml::table& t) { constraints.push_back(constraint_of(t, source)); });
  StudyFile file{.space = space_of(std::move(variables), std::move(constraints), source), .spec = {}};
  if (const toml::node* study = reader.find("study"); study != nullptr) {
    if (!study->is_table()) reader.fail(study->source(), "write [study], once");
    const Fields fields = fields_of(file.spec);
    constexpr std::string_view prefix = "study.";
    for (ConfigTable::Entry& entry : read_toml(text, source).entries) {
      if (!entry.name.starts_with(prefix)) continue;
      entry.name.erase(0, prefix.size());
      apply_entry(fields, entry, source);
    }
  }
  return file;
}

}  // namespace nomu
