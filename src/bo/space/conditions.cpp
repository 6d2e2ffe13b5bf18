// Variables that count only where others have certain values.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "nomu/bo/space.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

[[noreturn]] void refuse(const Variable& v, std::string_view message) {
  throw ConfigError("bo/space", fmt::format("variable '{}': {}", v.name, message));
}

/// Reads the values that conditions name. A condition may name very many choices of a variable that has as many.
class NamedValues {
 public:
  explicit NamedValues(const Space& space) : space_(space) {}

  /// In ascending order. `v` has the condition, `decider` is the variable that the condition is about.
  [[nodiscard]] std::vector<double> values_of(const Variable& v, const Condition& condition, std::size_t decider) {
    const Variable& by = space_.variables()[decider];
    if (by.kind == Variable::Kind::real) {
      refuse(v, fmt::format("'when' names '{}', which is real; only categorical and integer variables can decide",
                            condition.variable));
    }
    if (condition.values.empty()) refuse(v, fmt::format("'when' gives no value of '{}'", condition.variable));
    std::vector<double> values;
    for (const std::string& text : condition.values) {
      const double value = value_of(decider, text);
      if (value < by.low || value > by.high || std::floor(value) != value) {
        refuse(v, fmt::format("'when' asks for {} = {}, which is not a whole number between {} and {}",
                              condition.variable, text, by.low, by.high));
      }
      values.push_back(value);
    }
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
  }

 private:
  [[nodiscard]] double value_of(std::size_t decider, const std::string& text) {
    const Variable& by = space_.variables()[decider];
    if (by.kind != Variable::Kind::categorical) return space_.parse(decider, text);
    const auto [choices, first] = choices_.try_emplace(decider);
    for (std::size_t k = 0; first && k < by.choices.size(); ++k)
      choices->second.emplace(by.choices[k], static_cast<double>(k));
    const auto found = choices->second.find(text);
    return found == choices->second.end() ? space_.parse(decider, text) : found->second;
  }

  const Space& space_;
  std::map<std::size_t, std::map<std::string_view, double>> choices_;  // of variables that decide
};

std::vector<double> common(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

}  // namespace

void Space::resolve_conditions() {
  needs_.resize(size());
  NamedValues named(*this);
  for (std::size_t j = 0; j < size(); ++j) {
    const Variable& v = variables_[j];
    std::map<std::size_t, std::vector<double>> needs;  // by variable; of two conditions on one, both must hold
    for (const Condition& condition : v.when) {
      const auto place = places_.find(condition.variable);
      if (place == places_.end() || place->second >= j) {
        refuse(v, fmt::format("'when' names '{}', but no variable before this one is called that; list the variable "
                              "that decides first",
                              condition.variable));
      }
      const std::vector<double> values = named.values_of(v, condition, place->second);
      const auto [need, first] = needs.try_emplace(place->second, values);
      if (!first) need->second = common(need->second, values);
      if (need->second.empty())
        refuse(v, fmt::format("its conditions on '{0}' have no value in common, so that it would never count; all of "
                              "them must hold: list the values that '{0}' may have in one condition",
                              condition.variable));
    }
    for (auto& [variable, values] : needs) needs_[j].push_back({.variable = variable, .values = std::move(values)});
    if (!needs.empty()) conditional_ = true;
  }
}

/// `active`: which of the variables before this one count.
bool Space::has_needs(std::size_t variable, std::span<const double> point, const std::vector<bool>& active) const {
  return std::all_of(needs_[variable].begin(), needs_[variable].end(), [&](const Need& need) {
    const double value = point[need.variable];
    const auto found = std::lower_bound(need.values.begin(), need.values.end(), value);
    return active[need.variable] && found != need.values.end() && *found == value;
  });
}

/// The variables that decide come first, so that one pass does, however they depend on each other.
std::vector<bool> Space::active(std::span<const double> point) const {
  std::vector<bool> active(size(), true);
  for (std::size_t j = 0; j < size(); ++j) active[j] = has_needs(j, point, active);
  return active;
}

bool Space::active(std::size_t variable, std::span<const double> point) const {
  if (needs_[variable].empty()) return true;
  std::vector<bool> active(variable, true);
  for (std::size_t j = 0; j < variable; ++j) active[j] = has_needs(j, point, active);
  return has_needs(variable, point, active);
}

std::string Space::condition_text(std::size_t variable) const {
  std::vector<std::string> parts;
  for (const Condition& condition : variables_.at(variable).when)
    parts.push_back(fmt::format("{} = {}", condition.variable, fmt::join(condition.values, " or ")));
  return fmt::format("{}", fmt::join(parts, ", and "));
}

Point Space::complete(std::span<const std::optional<double>> values) const {
  Point point = from_unit(std::vector<double>(size(), 0.5));
  std::vector<bool> active(size(), true);
  for (std::size_t j = 0; j < size(); ++j) {
    const Variable& v = variables_[j];
    const bool counts = has_needs(j, point, active);  // the variables that decide come first
    active[j] = counts;
    if (counts && !values[j]) throw DataError("bo/space", fmt::format("the point lacks the variable '{}'", v.name));
    if (!counts && values[j]) {
      throw DataError("bo/space", fmt::format("variable '{}' has a value, but is only active when {}; leave it out",
                                              v.name, condition_text(j)));
    }
    if (counts) point[j] = *values[j];
  }
  point = settled(std::move(point));
  check(point);
  return point;
}

}  // namespace nomu
