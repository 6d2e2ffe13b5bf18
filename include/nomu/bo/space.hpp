#pragma once
/// What may be varied: named real, integer and categorical variables with bounds, and linear constraints between them.
/// Searches move through the unit cube, models read the cube [-1,1]^d, users see their own units.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nomu {

struct Variable {
  enum class Kind { real, integer, categorical };
  std::string name;
  Kind kind = Kind::real;
  double low = 0.0;  ///< both bounds belong to it
  double high = 1.0;
  bool log = false;                       ///< equal ratios are equal steps; real and integer variables above 0 only
  std::vector<std::string> choices = {};  ///< of a categorical variable, two at least

  friend bool operator==(const Variable&, const Variable&) = default;
};

/// at_least <= sum of coefficient times value <= at_most; either side may be left out.
struct LinearConstraint {
  struct Term {
    std::string variable;  ///< real or integer
    double coefficient = 1.0;
    friend bool operator==(const Term&, const Term&) = default;
  };
  std::vector<Term> terms;
  std::optional<double> at_least = {};
  std::optional<double> at_most = {};

  friend bool operator==(const LinearConstraint&, const LinearConstraint&) = default;
};

/// A point in the user's units, [variables]: an integer as a whole number, a category by its index.
using Point = std::vector<double>;

class Space {
 public:
  Space() = default;
  /// Throws ConfigError naming the variable or constraint that is impossible.
  explicit Space(std::vector<Variable> variables, std::vector<LinearConstraint> constraints = {});

  /// The box [low, high]^d of real variables x1, x2, ...
  [[nodiscard]] static Space box(std::size_t dimension, double low, double high);

  [[nodiscard]] const std::vector<Variable>& variables() const { return variables_; }
  [[nodiscard]] const std::vector<LinearConstraint>& constraints() const { return constraints_; }
  [[nodiscard]] std::size_t size() const { return variables_.size(); }
  /// Columns that a model reads: one a variable, but one for each choice of a categorical one.
  [[nodiscard]] std::size_t inputs() const { return inputs_; }

  /// From the unit cube [variables] to the nearest point there is: integers and categories rounded.
  [[nodiscard]] Point from_unit(std::span<const double> unit) const;
  /// The middle of what `from_unit` maps to the point.
  [[nodiscard]] std::vector<double> to_unit(std::span<const double> point) const;
  /// What a model reads, [inputs] in [-1,1]; a category is 1 in its own column and -1 in the others.
  [[nodiscard]] std::vector<double> to_inputs(std::span<const double> point) const;
  /// Whether all linear constraints hold, up to rounding.
  [[nodiscard]] bool feasible(std::span<const double> point) const;
  /// How many points there are, infeasible ones among them; empty: a variable is real, or more than 2^53.
  [[nodiscard]] std::optional<std::uint64_t> count() const;
  /// How many of them are feasible; empty: as above, or there are constraints and too many points to look at (10^6).
  [[nodiscard]] std::optional<std::uint64_t> feasible_count() const;
  /// The `index`-th point of a finite space.
  [[nodiscard]] Point at(std::uint64_t index) const;

  /// The value of one variable as text, and back. Throws DataError naming the variable and what it may be.
  [[nodiscard]] std::string text(std::size_t variable, double value) const;
  [[nodiscard]] double parse(std::size_t variable, std::string_view text) const;
  /// Index of a variable. Throws DataError with the nearest name.
  [[nodiscard]] std::size_t index_of(std::string_view name) const;
  /// Throws DataError where a value is out of bounds, no whole number or no choice, or a constraint is violated.
  void check(std::span<const double> point) const;

  friend bool operator==(const Space&, const Space&) = default;

 private:
  std::vector<Variable> variables_;
  struct Term {
    std::size_t variable = 0;
    double coefficient = 0.0;
    friend bool operator==(const Term&, const Term&) = default;
  };
  [[nodiscard]] double sum_of(std::size_t constraint, std::span<const double> point) const;
  [[nodiscard]] bool holds(std::size_t constraint, std::span<const double> point) const;

  std::vector<LinearConstraint> constraints_;
  std::vector<std::vector<Term>> terms_;  // of every constraint
  std::size_t inputs_ = 0;
};

/// Points [count][variables] that fill the space: the same seed, the same points. Infeasible ones are replaced by
/// random points. Throws ConfigError where no feasible point is found.
enum class DesignKind { latin_hypercube, sobol, uniform };
[[nodiscard]] std::vector<Point> initial_design(const Space& space, DesignKind kind, std::size_t count,
                                                std::uint64_t seed);

/// One feasible point: uniform, but where the constraints leave so little of the box that uniform draws miss it, draws
/// are moved there. `number` tells draws of the same seed apart. Throws as above.
[[nodiscard]] Point random_point(const Space& space, std::uint64_t seed, std::uint32_t number);

/// The points of Sobol's sequence, [count][dimension] in the unit cube, shifted at random by the seed.
[[nodiscard]] std::vector<double> sobol_points(std::size_t dimension, std::size_t count, std::uint64_t seed);

}  // namespace nomu
