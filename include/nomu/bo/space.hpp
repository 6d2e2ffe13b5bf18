#pragma once
/// The search space: named real, integer and categorical variables with bounds, and linear constraints between them.
/// Searches use the unit cube, models read the cube [-1,1]^d, and users see their own units.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nomu {

/// A variable is active where another one has one of these values.
struct Condition {
  std::string variable;             ///< categorical or integer, and listed before the variable that needs it
  std::vector<std::string> values;  ///< any of these, as text

  friend bool operator==(const Condition&, const Condition&) = default;
};

struct Variable {
  enum class Kind { real, integer, categorical };
  std::string name;
  Kind kind = Kind::real;
  double low = 0.0;  ///< both bounds are included
  double high = 1.0;
  bool log = false;                       ///< logarithmic scale; only for real and integer variables above 0
  std::vector<std::string> choices = {};  ///< at least two; only for categorical variables
  std::string unit = {};                  ///< shown on pages, "mm" say; may be empty; not for categorical variables
  /// The variable is active where all of them hold; empty: everywhere. Two on one variable must have a value in common.
  std::vector<Condition> when = {};

  friend bool operator==(const Variable&, const Variable&) = default;
};

/// The name and, where there is one, the unit in brackets, as on an axis.
[[nodiscard]] std::string label_of(const Variable& variable);

/// at_least <= sum of coefficient * value <= at_most; one of the two sides may be left out.
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

/// A point in the user's units, [variables]: integers are whole numbers, a category is the index of its choice. An
/// inactive variable has the middle of its range, so that points that mean the same are equal (`Space::settled`).
using Point = std::vector<double>;

class Space {
 public:
  Space() = default;
  /// Throws ConfigError naming the invalid variable or constraint, and for more than 10,000 variables.
  explicit Space(std::vector<Variable> variables, std::vector<LinearConstraint> constraints = {});

  /// The box [low, high]^d of real variables x1, x2, ...
  [[nodiscard]] static Space box(std::size_t dimension, double low, double high);

  [[nodiscard]] const std::vector<Variable>& variables() const { return variables_; }
  [[nodiscard]] const std::vector<LinearConstraint>& constraints() const { return constraints_; }
  [[nodiscard]] std::size_t size() const { return variables_.size(); }
  /// Number of columns a model reads: one per variable, and one per choice for a categorical variable.
  [[nodiscard]] std::size_t inputs() const { return inputs_; }

  /// Whether any variable has conditions.
  [[nodiscard]] bool conditional() const { return conditional_; }
  /// Whether the variable counts at this point.
  [[nodiscard]] bool active(std::size_t variable, std::span<const double> point) const;
  /// The same for all variables, which takes about as long as for one of many that depend on each other.
  [[nodiscard]] std::vector<bool> active(std::span<const double> point) const;
  /// The point with every inactive variable at the middle of its range.
  [[nodiscard]] Point settled(Point point) const;
  /// The conditions of a variable as text: "solver = cg or lu, and stages = 2".
  [[nodiscard]] std::string condition_text(std::size_t variable) const;
  /// The point with these values, [variables]. Throws DataError naming an active variable that has none, and an
  /// inactive one that has one.
  [[nodiscard]] Point complete(std::span<const std::optional<double>> values) const;

  /// Maps the unit cube [variables] to the nearest point of the space; integers and categories are rounded.
  [[nodiscard]] Point from_unit(std::span<const double> unit) const;
  /// The centre of the region that `from_unit` maps to the point.
  [[nodiscard]] std::vector<double> to_unit(std::span<const double> point) const;
  /// The inputs of a model, [inputs] in [-1,1]; a category is 1 in its own column and -1 in the others. An inactive
  /// variable is 0, an inactive category -1 in all columns.
  [[nodiscard]] std::vector<double> to_inputs(std::span<const double> point) const;
  /// Whether the point is settled and satisfies all linear constraints, up to rounding.
  [[nodiscard]] bool feasible(std::span<const double> point) const;
  /// Number of points, including infeasible ones; empty if a variable is real or there are more than 2^53.
  [[nodiscard]] std::optional<std::uint64_t> count() const;
  /// Number of feasible points; also empty if there are constraints or conditions and more than 10^6 points to check.
  [[nodiscard]] std::optional<std::uint64_t> feasible_count() const;
  /// The point with this index in a finite space; not settled.
  [[nodiscard]] Point at(std::uint64_t index) const;

  /// Converts the value of one variable to text and back. Throws DataError naming the variable and its valid values.
  [[nodiscard]] std::string text(std::size_t variable, double value) const;
  [[nodiscard]] double parse(std::size_t variable, std::string_view text) const;
  /// Index of a variable. Throws DataError suggesting the nearest name.
  [[nodiscard]] std::size_t index_of(std::string_view name) const;
  /// Throws DataError if a value is out of bounds, not a whole number or not a choice, or violates a constraint.
  void check(std::span<const double> point) const;

  friend bool operator==(const Space&, const Space&) = default;

 private:
  std::vector<Variable> variables_;
  struct Term {
    std::size_t variable = 0;
    double coefficient = 0.0;
    friend bool operator==(const Term&, const Term&) = default;
  };
  struct Need {
    std::size_t variable = 0;
    std::vector<double> values;  // in ascending order
    friend bool operator==(const Need&, const Need&) = default;
  };
  void resolve_conditions();
  [[nodiscard]] bool has_needs(std::size_t variable, std::span<const double> point,
                               const std::vector<bool>& active) const;
  [[nodiscard]] double sum_of(std::size_t constraint, std::span<const double> point) const;
  [[nodiscard]] bool holds(std::size_t constraint, std::span<const double> point) const;

  std::map<std::string, std::size_t, std::less<>> places_;  // of the variables, by name
  std::vector<LinearConstraint> constraints_;
  std::vector<std::vector<Term>> terms_;  // per constraint
  std::vector<std::vector<Need>> needs_;  // per variable
  bool conditional_ = false;
  std::size_t inputs_ = 0;
};

enum class DesignKind { latin_hypercube, sobol, uniform };

/// Direction numbers of Sobol's sequence. `drawn` is for studies that were created before there was a choice.
enum class SobolNumbers {
  drawn,     ///< drawn at random
  published  ///< those of Joe and Kuo (2008), for up to 3667 dimensions
};

/// Points [count][variables] that fill the space evenly; the same seed gives the same points. Infeasible points are
/// replaced by random ones. Throws ConfigError if no feasible point is found, or the space has too many variables.
[[nodiscard]] std::vector<Point> initial_design(const Space& space, DesignKind kind, std::size_t count,
                                                std::uint64_t seed, SobolNumbers numbers = SobolNumbers::published);

/// A random feasible point. It is uniform unless the constraints leave so little of the box that uniform draws miss it;
/// then draws are moved into the feasible region. `number` distinguishes draws with the same seed. Throws ConfigError
/// if no feasible point is found.
[[nodiscard]] Point random_point(const Space& space, std::uint64_t seed, std::uint32_t number);

/// The first points of Sobol's sequence, [count][dimension] in the unit cube, with a digital shift drawn from the seed.
/// Throws ConfigError for more dimensions than there are direction numbers.
[[nodiscard]] std::vector<double> sobol_points(std::size_t dimension, std::size_t count, std::uint64_t seed,
                                               SobolNumbers numbers = SobolNumbers::published);

}  // namespace nomu
