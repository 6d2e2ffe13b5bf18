#include "nomu/core/fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "nomu/core/error.hpp"
#include "nomu/core/printable.hpp"

namespace nomu {
namespace {

template <class T>
std::string list_text(const std::vector<T>& values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}

std::string range_text(const Range& range) {
  if (std::isfinite(range.low) && std::isfinite(range.high))
    return fmt::format("between {} and {}", range.low, range.high);
  if (std::isfinite(range.low)) return fmt::format("{} {}", range.open_low ? "above" : "at least", range.low);
  if (std::isfinite(range.high)) return fmt::format("at most {}", range.high);
  return "a finite number";
}

void check_range(const std::string& where, const Field& field, double value) {
  const bool above = field.range.open_low ? value > field.range.low : value >= field.range.low;
  if (!std::isfinite(value) || !above || value > field.range.high) {
    const bool open = std::isfinite(field.range.low) != std::isfinite(field.range.high);
    throw ConfigError(
        where, fmt::format("{} must be {}{}, got {}", field.name,
                           open && !std::isfinite(value) ? "a finite number " : "", range_text(field.range), value));
  }
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

template <class T>
bool parse_number(std::string_view text, T& value) {
  text = trimmed(text);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

/// "[1, 2]", "1,2" or "1": the elements of a list setting.
template <class T>
bool parse_list(std::string_view text, std::vector<T>& values) {
  text = trimmed(text);
  if (!text.empty() && text.front() == '[' && text.back() == ']') text = trimmed(text.substr(1, text.size() - 2));
  values.clear();
  while (!text.empty()) {
    const auto comma = text.find(',');
    T value{};
    if (!parse_number(text.substr(0, comma), value)) return false;
    values.push_back(value);
    text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
  }
  return true;
}

[[noreturn]] void throw_type(const std::string& where, const std::string& name, std::string_view wanted,
                             std::string_view got) {
  throw ConfigError(where, fmt::format("{} must be {}, got '{}'", name, wanted, printable(got, 200)));
}

/// A whole number is accepted as a real one, but a real one never as a whole number.
template <class T>
T converted(const std::string& where, const std::string& name, std::string_view wanted, const FieldValue& value) {
  if (const auto* exact = std::get_if<T>(&value)) return *exact;
  if constexpr (std::is_same_v<T, double>) {
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  }
  if constexpr (std::is_same_v<T, std::vector<double>>) {
    if (const auto* whole = std::get_if<std::vector<std::int64_t>>(&value)) return {whole->begin(), whole->end()};
  }
  throw_type(where, name, wanted, to_text(value));
}

/// A setting bound to `value`; `wanted` describes its type in messages.
template <class T>
Field bound(const std::string& where, std::string name, T& value, Range range, std::string doc, const char* wanted) {
  Field field{.name = std::move(name),
              .doc = std::move(doc),
              .range = range,
              .choices = {},
              .get = {},
              .set = {},
              .before = {}};
  field.get = [&value] { return FieldValue(value); };
  field.set = [&value, where, wanted, called = field.name](const FieldValue& v) {
    value = converted<T>(where, called, wanted, v);
  };
  return field;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::string to_text(const FieldValue& value) {
  return std::visit(
      [](const auto& v) -> std::string {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, bool>) return v ? "true" : "false";
        if constexpr (std::is_same_v<T, std::string>) return v;
        if constexpr (std::is_same_v<T, std::vector<std::int64_t>> || std::is_same_v<T, std::vector<double>>)
          return list_text(v);
        if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) return fmt::format("{}", v);
      },
      value);
}

std::string allowed_values(const Field& field) {
  if (!field.choices.empty()) return fmt::format("one of {}", fmt::join(field.choices, ", "));
  const Range& range = field.range;
  const bool limited = std::isfinite(range.low) || std::isfinite(range.high);
  const std::string limits = limited ? fmt::format(", {}", range_text(range)) : "";
  return std::visit(
      [&](const auto& value) -> std::string {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, bool>) return "true or false";
        if constexpr (std::is_same_v<T, std::string>) return "text";
        if constexpr (std::is_same_v<T, std::int64_t>) return "a whole number" + limits;
        if constexpr (std::is_same_v<T, double>) return "a number" + limits;
        if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) return "a list of whole numbers" + limits;
        if constexpr (std::is_same_v<T, std::vector<double>>) return "a list of numbers" + limits;
      },
      field.get());
}

std::vector<SettingHelp> settings_help(const std::vector<Fields>& variants) {
  std::vector<SettingHelp> help;
  if (variants.empty()) return help;
  for (const Field& field : variants.front().list()) {
    SettingHelp setting{.name = field.name, .doc = field.doc, .allowed = allowed_values(field), .values = {}};
    for (const Fields& variant : variants) setting.values.push_back(to_text(variant.find(field.name).get()));
    help.push_back(std::move(setting));
  }
  return help;
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  constexpr std::size_t longest = 200;  // whatever is longer was not misspelt, and would take long to compare
  if (word.size() > longest) return best;
  // Words of one or two letters need a letter in common: otherwise any of them is near any other.
  std::size_t distance = std::min(std::max<std::size_t>(2, word.size() / 3) + 1, std::max<std::size_t>(1, word.size()));
  for (const std::string& candidate : candidates) {
    // A key that only lacks its prefix ("epochs" for "train.epochs") is the nearest possible.
    const bool suffix = candidate.size() > word.size() && candidate.ends_with(word) &&
                        candidate[candidate.size() - word.size() - 1] == '.';
    const std::size_t shorter = std::min(word.size(), candidate.size());
    if (!suffix && std::max(word.size(), candidate.size()) - shorter >= distance) continue;
    const std::size_t d = suffix ? 0 : edit_distance(word, candidate);
    if (d < distance) {
      distance = d;
      best = candidate;
    }
  }
  return best;
}

void Fields::add(std::string name, bool& value, std::string doc) {
  list_.push_back(bound(where_, std::move(name), value, {}, std::move(doc), "true or false"));
}
void Fields::add(std::string name, std::int64_t& value, Range range, std::string doc) {
  list_.push_back(bound(where_, std::move(name), value, range, std::move(doc), "a whole number"));
}
void Fields::add(std::string name, double& value, Range range, std::string doc) {
  list_.push_back(bound(where_, std::move(name), value, range, std::move(doc), "a number"));
}
void Fields::add(std::string name, std::string& value, std::string doc) {
  list_.push_back(bound(where_, std::move(name), value, {}, std::move(doc), "text"));
}
void Fields::add(std::string name, std::vector<std::int64_t>& value, Range range, std::string doc) {
  list_.push_back(bound(where_, std::move(name), value, range, std::move(doc), "a list of whole numbers"));
}
void Fields::add(std::string name, std::vector<double>& value, Range range, std::string doc) {
  list_.push_back(bound(where_, std::move(name), value, range, std::move(doc), "a list of numbers"));
}

void Fields::add_choice_index(const std::string& name, const std::function<std::size_t()>& get,
                              const std::function<void(std::size_t)>& set, const std::vector<std::string>& choices,
                              const std::string& doc) {
  Field field{.name = name, .doc = doc, .range = {}, .choices = choices, .get = {}, .set = {}, .before = {}};
  field.get = [choices, get] { return FieldValue(choices.at(get())); };
  field.set = [choices, name, where = where_, set](const FieldValue& v) {
    const std::string text = to_text(v);
    const auto found = std::find(choices.begin(), choices.end(), text);
    if (found == choices.end()) throw_type(where, name, fmt::format("one of {}", fmt::join(choices, ", ")), text);
    set(static_cast<std::size_t>(found - choices.begin()));
  };
  list_.push_back(std::move(field));
}

void Fields::add_nested(std::string_view prefix, const Fields& part) {
  for (Field field : part.list()) {
    if (!prefix.empty()) field.name = fmt::format("{}.{}", prefix, field.name);
    list_.push_back(std::move(field));
  }
}

void Fields::added_later(std::string_view name, FieldValue before) {
  const Field& field = find(name);
  if (field.get().index() != before.index())
    throw_type(where_, field.name, "of the setting's own type", to_text(before));
  list_[static_cast<std::size_t>(&field - list_.data())].before = std::move(before);
}

const Field& Fields::find(std::string_view name) const {
  for (const Field& field : list_) {
    if (field.name == name) return field;
  }
  std::vector<std::string> names;
  for (const Field& field : list_) names.push_back(field.name);
  const std::string near = nearest(name, names);
  const std::string hint = near.empty() ? fmt::format("known settings are {}", fmt::join(names, ", "))
                                        : fmt::format("did you mean '{}'?", near);
  throw ConfigError(where_, fmt::format("unknown setting '{}'; {}", printable(name, 200), hint));
}

void Fields::set(std::string_view name, const FieldValue& value) const {
  const Field& field = find(name);
  const auto check = [&](const auto& v) {
    using T = std::decay_t<decltype(v)>;
    if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, double>)
      check_range(where_, field, static_cast<double>(v));
    if constexpr (std::is_same_v<T, std::vector<std::int64_t>> || std::is_same_v<T, std::vector<double>>) {
      for (const auto element : v) check_range(where_, field, static_cast<double>(element));
    }
  };
  std::visit(check, value);
  // Here and not in the setter, which does not know the prefix that a nested field got.
  if (!field.choices.empty() && std::ranges::find(field.choices, to_text(value)) == field.choices.end())
    throw_type(where_, field.name, fmt::format("one of {}", fmt::join(field.choices, ", ")), to_text(value));
  field.set(value);
}

void Fields::set_text(std::string_view name, std::string_view text) const {
  const Field& field = find(name);
  const auto parsed = [&](const auto& current) -> FieldValue {
    using T = std::decay_t<decltype(current)>;
    T value{};
    if constexpr (std::is_same_v<T, std::string>) return std::string(text);
    if constexpr (std::is_same_v<T, bool>) {
      if (text == "true" || text == "1") return true;
      if (text == "false" || text == "0") return false;
      throw_type(where_, field.name, "true or false", text);
    }
    if constexpr (std::is_same_v<T, std::int64_t>) {
      if (!parse_number(text, value)) throw_type(where_, field.name, "a whole number", text);
    }
    if constexpr (std::is_same_v<T, double>) {
      if (!parse_number(text, value)) throw_type(where_, field.name, "a number", text);
    }
    if constexpr (std::is_same_v<T, std::vector<std::int64_t>> || std::is_same_v<T, std::vector<double>>) {
      if (!parse_list(text, value)) throw_type(where_, field.name, "a list of numbers like 64,64", text);
    }
    return value;
  };
  set(name, std::visit(parsed, field.get()));
}

std::vector<std::pair<std::string, std::string>> Fields::differences(const Fields& defaults) const {
  std::vector<std::pair<std::string, std::string>> changed;
  for (const Field& field : list_) {
    const FieldValue value = field.get();
    if (value != defaults.find(field.name).get()) changed.emplace_back(field.name, to_text(value));
  }
  return changed;
}

}  // namespace nomu
