#include "bo/space/feasible.hpp"

#include <algorithm>
#include <cmath>

namespace nomu {
namespace {

struct Term {
  const Variable* variable;
  double coefficient;
  double* value;

  [[nodiscard]] double part() const { return coefficient * *value; }
  [[nodiscard]] double least() const { return std::min(coefficient * variable->low, coefficient * variable->high); }
  [[nodiscard]] double most() const { return std::max(coefficient * variable->low, coefficient * variable->high); }

  /// Changes the value so that the sum changes by `change`, as far as possible; returns the rest.
  [[nodiscard]] double add(double change) const {
    const double before = part();
    double to = std::clamp(*value + change / coefficient, variable->low, variable->high);
    if (variable->kind == Variable::Kind::integer) to = std::round(to);
    *value = to;
    return change - (part() - before);
  }
};

std::vector<Term> terms_of(const Space& space, const LinearConstraint& constraint, Point& point) {
  std::vector<Term> terms;
  for (const LinearConstraint::Term& term : constraint.terms) {
    const std::size_t j = space.index_of(term.variable);
    if (term.coefficient != 0.0) terms.push_back({&space.variables()[j], term.coefficient, &point[j]});
  }
  return terms;
}

/// Moves the variables so that their sum becomes a random number between the bounds: first each variable makes a random
/// share of the change, then each as much as is left.
void satisfy(const LinearConstraint& constraint, const std::vector<Term>& terms, Random& random) {
  double sum = 0.0;
  double low = 0.0;
  double high = 0.0;
  for (const Term& term : terms) {
    sum += term.part();
    low += term.least();
    high += term.most();
  }
  low = std::max(low, constraint.at_least.value_or(low));
  high = std::min(high, constraint.at_most.value_or(high));
  if (low > high || (sum >= low && sum <= high)) return;
  double left = random.uniform(low, high) - sum;
  const std::vector<std::size_t> order = random.permutation(terms.size());
  for (const bool all : {false, true}) {
    for (const std::size_t k : order) {
      const double part = all ? left : left * random.uniform();
      left -= part - terms[k].add(part);
    }
  }
}

}  // namespace

bool move_to_feasible(const Space& space, Random& random, Point& point) {
  constexpr int rounds = 50;
  for (int round = 0; round < rounds; ++round) {
    if (space.feasible(point)) return true;
    for (const LinearConstraint& constraint : space.constraints()) {
      satisfy(constraint, terms_of(space, constraint, point), random);
    }
  }
  return space.feasible(point);
}

}  // namespace nomu
