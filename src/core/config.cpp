#include "nomu/core/config.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <utility>

#include "core/text/toml_numbers.hpp"
#include "core/text/toml_text.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/file.hpp"

namespace nomu {
namespace {

[[noreturn]] void fail(std::string_view source, std::int64_t line, std::string_view message) {
  throw ConfigError("core/config", fmt::format("{}, line {}: {}", source, line, message));
}

std::int64_t line_of(const toml::node& node) { return static_cast<std::int64_t>(node.source().begin.line); }

/// The strings of an array, joined into one.
std::string joined(const toml::array& array, std::string_view source) {
  std::string text;
  for (const toml::node& element : array) {
    if (!element.is_string()) fail(source, line_of(element), "a list may hold numbers only, or strings only");
    if (!text.empty()) text += ", ";
    text += element.as_string()->get();
  }
  return text;
}

/// The numbers of an array; integers if all of them are.
FieldValue array_value(const toml::array& array, std::string_view source) {
  if (!array.empty() && array.front().is_string()) return joined(array, source);
  std::vector<std::int64_t> whole;
  std::vector<double> real;
  for (const toml::node& element : array) {
    if (!element.is_number()) fail(source, line_of(element), "a list may hold numbers only, or strings only");
    if (element.is_integer()) whole.push_back(element.as_integer()->get());
    real.push_back(nearest_double(element));
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
  fail(source, line_of(node), "dates and times are not supported");
}

/// `room`: characters that names may still have. The long name of a table is repeated in front of each of its keys.
void collect(const toml::table& table, const std::string& prefix, ConfigTable& into, std::size_t& room) {
  for (const auto& [key, node] : table) {
    const auto line = static_cast<std::int64_t>(key.source().begin.line);
    const std::size_t length = prefix.size() + key.str().size();
    if (length > room) fail(into.source, line, "the names of tables before this one are too long");
    room -= length;
    const std::string name = prefix + std::string(key.str());
    if (const auto* inner = node.as_table()) {
      collect(*inner, name + ".", into, room);
    } else if (node.is_array_of_tables()) {
      for (const toml::node& element : *node.as_array()) {
        ConfigTable::Part part{.name = name, .line = line_of(element), .table = {}};
        part.table.source = into.source;
        collect(*element.as_table(), "", part.table, room);
        into.parts.push_back(std::move(part));
      }
    } else {
      into.entries.push_back({.name = name, .value = value_of(node, into.source), .line = line});
    }
  }
}

}  // namespace

std::string read_toml_file(const std::filesystem::path& path) {
  return read_file(path, {.text = true, .most = most_toml_bytes});
}

ConfigTable read_toml(std::string_view text, std::string_view source) {
  const toml::table table = parse_toml(text, source, "core/config");
  ConfigTable result;
  result.source = std::string(source);
  std::size_t room = 16 * most_toml_bytes;
  collect(table, "", result, room);
  return result;
}

void apply_entry(const Fields& fields, const ConfigTable::Entry& entry, std::string_view source) {
  try {
    fields.set(entry.name, entry.value);
  } catch (const ConfigError& error) {
    fail(source, entry.line, error.what());
  }
}

Setting parse_setting(std::string_view text, std::string_view where) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0)
    throw ConfigError(where, fmt::format("'{}' is not of the form name=value", text));
  return {.name = std::string(text.substr(0, equals)), .value = std::string(text.substr(equals + 1))};
}

std::vector<Setting> settings_of_toml(std::string_view text, std::string_view source) {
  const ConfigTable table = read_toml(text, source);
  if (!table.parts.empty())
    fail(source, table.parts[0].line, fmt::format("'{}' cannot be a list of tables here", table.parts[0].name));
  std::vector<Setting> settings;
  for (const ConfigTable::Entry& entry : table.entries) {
    settings.push_back(
        {.name = entry.name, .value = to_text(entry.value), .source = fmt::format("{}, line {}", source, entry.line)});
  }
  return settings;
}

void apply_settings(const Fields& fields, const std::vector<Setting>& settings) {
  for (const Setting& setting : settings) {
    try {
      fields.set_text(setting.name, setting.value);
    } catch (const ConfigError& error) {
      if (setting.source.empty()) throw;
      throw ConfigError("core/config", fmt::format("{}: {}", setting.source, error.what()));
    }
  }
}

void apply_toml(const Fields& fields, std::string_view text, std::string_view source) {
  apply_settings(fields, settings_of_toml(text, source));
}

}  // namespace nomu
