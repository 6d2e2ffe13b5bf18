// Variables that count only where others have certain values.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "nomu/bo/space.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

[[noreturn]] void refuse(const Variable& v, std::string_view message) {
  throw ConfigError("bo/space", fmt::format("variable '{}': {}", v.name, message));
}

}  // namespace

void Space::resolve_conditions() {
  needs_.resize(size());
  for (std::size_t j = 0; j < size(); ++j) {
    const Variable& v = variables_[j];
    for (const Condition& condition : v.when) {
      Need need;
      const auto found = std::find_if(variables_.begin(), variables_.begin() + static_cast<std::ptrdiff_t>(j),
                                      [&](const Variable& other) { return other.name == condition.variable; });
      need.variable = static_cast<std::size_t>(found - variables_.begin());
      if (need.variable == j) {
        refuse(v, fmt::format("'when' names '{}', but no variable before this one is called that; list the variable "
                              "that decides first",
                              condition.variable));
      }
      if (found->kind == Variable::Kind::real) {
        refuse(v, fmt::format("'when' names '{}', which is real; only categorical and integer variables can decide",
                              condition.variable));
      }
      if (condition.values.empty()) refuse(v, fmt::format("'when' gives no value of '{}'", condition.variable));
      for (const std::string& text : condition.values) {
        const double value = parse(need.variable, text);
        if (value < found->low || value > found->high || std::floor(value) != value) {
          refuse(v, fmt::format("'when' asks for {} = {}, which is not a whole number between {} and {}",
                                condition.variable, text, found->low, found->high));
        }
        need.values.push_back(value);
      }
      needs_[j].push_back(std::move(need));
      conditional_ = true;
    }
  }
}

bool Space::active(std::size_t variable, std::span<const double> point) const {
  return std::all_of(needs_[variable].begin(), needs_[variable].end(), [&](const Need& need) {
    const double value = point[need.variable];
    return active(need.variable, point) &&
           std::find(need.values.begin(), need.values.end(), value) != need.values.end();
  });
}

std::string Space::condition_text(std::size_t variable) const {
  std::vector<std::string> parts;
  for (const Condition& condition : variables_.at(variable).when)
    parts.push_back(fmt::format("{} = {}", condition.variable, fmt::join(condition.values, " or ")));
  return fmt::format("{}", fmt::join(parts, ", and "));
}

Point Space::complete(std::span<const std::optional<double>> values) const {
  Point point = from_unit(std::vector<double>(size(), 0.5));
  for (std::size_t j = 0; j < size(); ++j) {
    const Variable& v = variables_[j];
    const bool counts = active(j, point);  // the variables that decide come first
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
