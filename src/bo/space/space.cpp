#include "nomu/bo/space.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/text/utf8.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/fields.hpp"
#include "nomu/core/printable.hpp"
#include "nomu/data/table_io.hpp"

namespace nomu {
namespace {

constexpr double largest_exact = 9007199254740992.0;  // 2^53
constexpr std::size_t most_variables = 10000;
constexpr std::size_t longest_name = 4000;  // bytes; every message and every row of a list shows the name

bool is_discrete(const Variable& v) { return v.kind != Variable::Kind::real; }

[[noreturn]] void refuse(const Variable& v, std::string_view message) {
  throw ConfigError("bo/space", fmt::format("variable '{}': {}", printable(v.name, 200), message));
}

void check_name(const Variable& v) {
  if (v.name.empty()) throw ConfigError("bo/space", "every variable needs a name");
  if (v.name.size() > longest_name)
    refuse(v, fmt::format("a name has at most {} bytes, got {}", longest_name, v.name.size()));
  if (v.name.find_first_of(std::string_view("{}\n\0", 4)) != std::string::npos)
    refuse(v, "a name must not contain braces, line ends or zero bytes");
  if (!is_utf8(v.name)) throw ConfigError("bo/space", "the name of a variable is not UTF-8 text");
}

void check_choices(const Variable& v) {
  const std::set<std::string> distinct(v.choices.begin(), v.choices.end());
  if (v.choices.size() < 2 || distinct.size() != v.choices.size() || distinct.contains("")) {
    refuse(v, "a categorical variable needs two or more different, non-empty choices");
  }
  if (!std::all_of(v.choices.begin(), v.choices.end(), is_utf8)) refuse(v, "a choice is not UTF-8 text");
  const auto cut = [](const std::string& choice) { return choice.find('\0') != std::string::npos; };
  if (std::any_of(v.choices.begin(), v.choices.end(), cut)) refuse(v, "a choice contains a zero byte");
  if (v.log) refuse(v, "a categorical variable has no logarithmic scale");
  if (!v.unit.empty()) refuse(v, "a categorical variable has no unit");
}

void check_unit(const Variable& v) {
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  if (!is_utf8(v.unit)) refuse(v, "the unit is not UTF-8 text");
  if (std::any_of(v.unit.begin(), v.unit.end(), control)) refuse(v, "a unit is text on one line");
}

void check_bounds(const Variable& v) {
  if (!std::isfinite(v.low) || !std::isfinite(v.high)) refuse(v, "both bounds must be finite numbers");
  const bool large = std::abs(v.low) > largest_exact || std::abs(v.high) > largest_exact;
  if (v.kind == Variable::Kind::integer && large)
    refuse(v, "the bounds of an integer must be between -2^53 and 2^53: larger whole numbers are not told apart");
  if (v.low > v.high) {
    refuse(v, fmt::format("the bounds are reversed: low {} is above high {}; swap them", v.low, v.high));
  }
  if (v.low == v.high) {
    refuse(v, fmt::format("both bounds are {}{}; leave the variable out, or widen them", v.low,
                          large ? " (whole numbers beyond 2^53 are not told apart)" : ""));
  }
  if (!std::isfinite(v.high - v.low))
    refuse(v, "the bounds are too far apart: their difference is not a finite number");
  if (v.log && v.low <= 0.0) refuse(v, fmt::format("a logarithmic scale needs low above 0, got {}", v.low));
  if (v.kind == Variable::Kind::integer && (std::floor(v.low) != v.low || std::floor(v.high) != v.high))
    refuse(v, "the bounds of an integer must be whole numbers");
}

double count_of(const Variable& v) {
  if (v.kind == Variable::Kind::categorical) return static_cast<double>(v.choices.size());
  return v.high - v.low + 1.0;
}

/// The bounds on the scale of the variable; those of integers are half a step wider, so that all have an equal share.
std::pair<double, double> scaled_bounds(const Variable& v) {
  const double half = v.kind == Variable::Kind::integer ? 0.5 : 0.0;
  if (!v.log) return {v.low - half, v.high + half};
  return {std::log(v.low - half), std::log(v.high + half)};
}

double value_at(const Variable& v, double share) {
  if (v.kind == Variable::Kind::categorical) {
    return std::min(std::floor(share * count_of(v)), count_of(v) - 1.0);
  }
  const auto [low, high] = scaled_bounds(v);
  double value = low + share * (high - low);
  if (v.log) value = std::exp(value);
  if (v.kind == Variable::Kind::integer) value = std::round(value);
  return std::clamp(value, v.low, v.high) + 0.0;  // no negative zero: one point, one text
}

double share_of(const Variable& v, double value) {
  if (v.kind == Variable::Kind::categorical) return (value + 0.5) / count_of(v);
  const auto [low, high] = scaled_bounds(v);
  return std::clamp(((v.log ? std::log(value) : value) - low) / (high - low), 0.0, 1.0);
}

}  // namespace

std::string label_of(const Variable& variable) {
  return variable.unit.empty() ? variable.name : fmt::format("{} [{}]", variable.name, variable.unit);
}

Space::Space(std::vector<Variable> variables, std::vector<LinearConstraint> constraints)
    : variables_(std::move(variables)), constraints_(std::move(constraints)) {
  if (variables_.empty()) throw ConfigError("bo/space", "a space needs at least one variable");
  if (variables_.size() > most_variables) {
    throw ConfigError("bo/space",
                      fmt::format("a space has at most {} variables, got {}", most_variables, variables_.size()));
  }
  for (Variable& v : variables_) {
    check_name(v);
    if (!places_.emplace(v.name, places_.size()).second) refuse(v, "the name is used twice");
    if (v.kind == Variable::Kind::categorical) {
      check_choices(v);
      v.low = 0.0;
      v.high = static_cast<double>(v.choices.size()) - 1.0;
    } else {
      check_bounds(v);
      check_unit(v);
    }
    inputs_ += v.kind == Variable::Kind::categorical ? v.choices.size() : 1;
  }
  resolve_conditions();
  for (const LinearConstraint& constraint : constraints_) {
    if (constraint.terms.empty() || (!constraint.at_least && !constraint.at_most)) {
      throw ConfigError("bo/space", "a constraint needs terms, and at_least or at_most");
    }
    if (!std::isfinite(constraint.at_least.value_or(0.0)) || !std::isfinite(constraint.at_most.value_or(0.0))) {
      throw ConfigError("bo/space", "at_least and at_most must be finite numbers; leave out the side that is open");
    }
    if (constraint.at_least && constraint.at_most && *constraint.at_least > *constraint.at_most) {
      throw ConfigError("bo/space", fmt::format("at_least {} is above at_most {}; swap them", *constraint.at_least,
                                                *constraint.at_most));
    }
    std::vector<Term>& terms = terms_.emplace_back();
    for (const LinearConstraint::Term& term : constraint.terms) {
      if (!std::isfinite(term.coefficient)) throw ConfigError("bo/space", "a coefficient must be a finite number");
      const std::size_t variable = index_of(term.variable);
      if (variables_[variable].kind == Variable::Kind::categorical) {
        throw ConfigError("bo/space",
                          fmt::format("a constraint cannot contain the categorical variable '{}'", term.variable));
      }
      if (!needs_[variable].empty()) {
        throw ConfigError("bo/space", fmt::format("a constraint cannot contain '{}', which is only active when {}",
                                                  term.variable, condition_text(variable)));
      }
      terms.push_back({.variable = variable, .coefficient = term.coefficient});
    }
  }
}

Space Space::box(std::size_t dimension, double low, double high) {
  std::vector<Variable> variables;
  for (std::size_t j = 0; j < dimension; ++j) {
    variables.push_back({.name = fmt::format("x{}", j + 1), .low = low, .high = high});
  }
  return Space(std::move(variables));
}

Point Space::from_unit(std::span<const double> unit) const {
  Point point(size());
  for (std::size_t j = 0; j < size(); ++j) point[j] = value_at(variables_[j], unit[j]);
  return settled(std::move(point));
}

Point Space::settled(Point point) const {
  if (!conditional_) return point;
  const std::vector<bool> counts = active(point);
  for (std::size_t j = 0; j < size(); ++j) {
    if (!counts[j]) point[j] = value_at(variables_[j], 0.5);
  }
  return point;
}

std::vector<double> Space::to_unit(std::span<const double> point) const {
  std::vector<double> unit(size());
  for (std::size_t j = 0; j < size(); ++j) unit[j] = share_of(variables_[j], point[j]);
  return unit;
}

std::vector<double> Space::to_inputs(std::span<const double> point) const {
  std::vector<double> inputs;
  inputs.reserve(inputs_);
  const std::vector<bool> all = conditional_ ? active(point) : std::vector<bool>();
  for (std::size_t j = 0; j < size(); ++j) {
    const bool counts = !conditional_ || all[j];
    if (variables_[j].kind != Variable::Kind::categorical) {
      inputs.push_back(counts ? 2.0 * share_of(variables_[j], point[j]) - 1.0 : 0.0);
      continue;
    }
    for (std::size_t k = 0; k < variables_[j].choices.size(); ++k) {
      inputs.push_back(counts && static_cast<double>(k) == point[j] ? 1.0 : -1.0);
    }
  }
  return inputs;
}

double Space::sum_of(std::size_t constraint, std::span<const double> point) const {
  double sum = 0.0;
  for (const Term& term : terms_[constraint]) sum += term.coefficient * point[term.variable];
  return sum;
}

bool Space::holds(std::size_t constraint, std::span<const double> point) const {
  double scale = 0.0;
  for (const Term& term : terms_[constraint]) scale += std::abs(term.coefficient * point[term.variable]);
  const double sum = sum_of(constraint, point);
  const double slack = 1e-12 * scale;
  const LinearConstraint& bounds = constraints_[constraint];
  return !(bounds.at_least && sum < *bounds.at_least - slack) && !(bounds.at_most && sum > *bounds.at_most + slack);
}

bool Space::feasible(std::span<const double> point) const {
  const std::vector<bool> counts = conditional_ ? active(point) : std::vector<bool>();
  for (std::size_t j = 0; j < counts.size(); ++j) {
    if (!counts[j] && point[j] != value_at(variables_[j], 0.5)) return false;
  }
  for (std::size_t k = 0; k < constraints_.size(); ++k) {
    if (!holds(k, point)) return false;
  }
  return true;
}

std::optional<std::uint64_t> Space::count() const {
  double product = 1.0;
  for (const Variable& v : variables_) {
    if (!is_discrete(v)) return {};
    product *= count_of(v);
  }
  if (product > largest_exact) return {};
  return static_cast<std::uint64_t>(product);
}

std::optional<std::uint64_t> Space::feasible_count() const {
  constexpr std::uint64_t most = 1000000;
  const std::optional<std::uint64_t> all = count();
  if (!all || (constraints_.empty() && !conditional_)) return all;
  if (*all > most) return {};
  std::uint64_t found = 0;
  for (std::uint64_t index = 0; index < *all; ++index) found += feasible(at(index)) ? 1 : 0;
  return found;
}

Point Space::at(std::uint64_t index) const {
  Point point(size());
  for (std::size_t j = size(); j-- > 0;) {
    const auto n = static_cast<std::uint64_t>(count_of(variables_[j]));
    point[j] = variables_[j].low + static_cast<double>(index % n);
    index /= n;
  }
  return point;
}

std::string Space::text(std::size_t variable, double value) const {
  const Variable& v = variables_.at(variable);
  return v.kind == Variable::Kind::categorical ? v.choices.at(static_cast<std::size_t>(value)) : format_number(value);
}

double Space::parse(std::size_t variable, std::string_view text) const {
  const Variable& v = variables_.at(variable);
  if (v.kind == Variable::Kind::categorical) {
    const auto found = std::find(v.choices.begin(), v.choices.end(), text);
    if (found != v.choices.end()) return static_cast<double>(found - v.choices.begin());
    throw DataError("bo/space", fmt::format("variable '{}' has no choice '{}'; it has {}", v.name, text,
                                            fmt::join(v.choices, ", ")));
  }
  const CellValue cell = read_cell(text);
  if (cell.kind != CellKind::number) {
    throw DataError("bo/space", fmt::format("variable '{}' needs a finite number, got '{}'", v.name, text));
  }
  return cell.number;
}

std::size_t Space::index_of(std::string_view name) const {
  if (const auto found = places_.find(name); found != places_.end()) return found->second;
  std::vector<std::string> names;
  for (const Variable& v : variables_) names.push_back(v.name);
  const std::string near = nearest(name, names);
  throw DataError("bo/space",
                  fmt::format("there is no variable '{}'{}; there are {}", name,
                              near.empty() ? "" : fmt::format(", did you mean '{}'?", near), fmt::join(names, ", ")));
}

void Space::check(std::span<const double> point) const {
  if (point.size() != size()) {
    throw DataError("bo/space", fmt::format("a point has {} values, got {}", size(), point.size()));
  }
  for (std::size_t j = 0; j < size(); ++j) {
    const Variable& v = variables_[j];
    const bool whole = !is_discrete(v) || std::floor(point[j]) == point[j];
    if (!(point[j] >= v.low && point[j] <= v.high) || !whole) {
      throw DataError("bo/space", fmt::format("variable '{}' must be {} between {} and {}, got {}", v.name,
                                              is_discrete(v) ? "a whole number" : "a number", v.low, v.high, point[j]));
    }
  }
  for (std::size_t k = 0; k < constraints_.size(); ++k) {
    if (holds(k, point)) continue;
    std::vector<std::string> names;
    for (const LinearConstraint::Term& term : constraints_[k].terms) {
      names.push_back(fmt::format("{} {}", term.coefficient, term.variable));
    }
    throw DataError("bo/space",
                    fmt::format("the point violates constraint {} of the space: {} is {}{}{}", k + 1,
                                fmt::join(names, " + "), sum_of(k, point),
                                constraints_[k].at_least ? fmt::format(", at least {}", *constraints_[k].at_least) : "",
                                constraints_[k].at_most ? fmt::format(", at most {}", *constraints_[k].at_most) : ""));
  }
}

}  // namespace nomu
