#include "nomu/core/config.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <string>
#include <vector>

#include "nomu/core/error.hpp"

namespace nomu {
namespace {

[[noreturn]] void fail(std::string_view source, const toml::source_region& place, std::string_view message) {
  throw ConfigError("core/config", fmt::format("{}, line {}: {}", source, place.begin.line, message));
}

/// Numbers of an array: whole where all are whole.
FieldValue array_value(const toml::array& array, std::string_view source) {
  std::vector<std::int64_t> whole;
  std::vector<double> real;
  for (const toml::node& element : array) {
    if (!element.is_number()) fail(source, element.source(), "lists may hold numbers only");
    if (element.is_integer()) whole.push_back(element.as_integer()->get());
    real.push_back(element.value<double>().value_or(0.0));
  }
  if (whole.size() == real.size()) return whole;
  return real;
}

FieldValue value_of(const toml::node& node, std::string_view source) {
  if (const auto* v = node.as_boolean()) return v->get();
  if (const auto* v = node.as_integer()) return v->get();
  if (const auto* v = node.as_floating_point()) return v->get();
  if (const auto* v = node.as_string()) return v->get();
  if (const auto* v = node.as_array()) return array_value(*v, source);
  fail(source, node.source(), "dates and times are not used here");
}

void apply_table(const Fields& fields, const toml::table& table, const std::string& prefix, std::string_view source) {
  for (const auto& [key, node] : table) {
    const std::string name = prefix + std::string(key.str());
    if (const auto* inner = node.as_table()) {
      apply_table(fields, *inner, name + ".", source);
      continue;
    }
    try {
      fields.set(name, value_of(node, source));
    } catch (const ConfigError& error) {
      if (std::string_view(error.what()).starts_with("[core/config]")) throw;
      fail(source, key.source(), error.what());
    }
  }
}

}  // namespace

void apply_toml(const Fields& fields, std::string_view text, std::string_view source) {
  toml::table table;
  try {
    table = toml::parse(text);
  } catch (const toml::parse_error& error) {
    fail(source, error.source(), error.description());
  }
  apply_table(fields, table, "", source);
}

}  // namespace nomu
