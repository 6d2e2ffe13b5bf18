#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <utility>

#include "nomu/core/error.hpp"
#include "paper/problems/function_formulas.hpp"

namespace nomu {
namespace {

using std::numbers::pi;

double squared(double v) { return v * v; }

/// A minimisation problem on the box [low, high]^d, with the bounds on its values that scale it.
struct MinimisationProblem {
  std::function<double(std::span<const double>)> formula;
  double box_low = 0.0;
  double box_high = 1.0;
  double lowest = 0.0;
  double highest = 1.0;
  std::vector<double> argmin;  ///< in [-1,1]^d
};

double value_at_all(const std::function<double(std::span<const double>)>& formula, std::size_t d, double x) {
  return formula(std::vector<double>(d, x));
}

MinimisationProblem levy(std::size_t d, double last_terms) {
  auto formula = [last_terms](std::span<const double> x) { return levy_formula(x, last_terms); };
  return {.formula = formula,
          .box_low = -10.0,
          .box_high = 10.0,
          .lowest = 0.0,
          .highest = value_at_all(formula, d, -10.0),
          .argmin = std::vector<double>(d, 0.1)};
}

MinimisationProblem rosenbrock(std::size_t d) {
  // The true maximum lies at (10, ..., 10, -5), so the scaled values go a little below -1, as in the paper.
  return {.formula = rosenbrock_formula,
          .box_low = -5.0,
          .box_high = 10.0,
          .lowest = 0.0,
          .highest = value_at_all(rosenbrock_formula, d, 10.0),
          .argmin = std::vector<double>(d, -0.2)};
}

MinimisationProblem g_function(std::size_t d) {
  std::vector<double> best(d, 1.0);
  best[0] = 0.0;
  std::vector<double> best_in_box(d, 1.0);
  best_in_box[0] = 0.5;
  return {.formula = g_formula,
          .box_low = 0.0,
          .box_high = 1.0,
          .lowest = g_formula(best_in_box),
          .highest = value_at_all(g_formula, d, 1.0),
          .argmin = std::move(best)};
}

MinimisationProblem perm(std::size_t d) {
  const auto edge = static_cast<double>(d);
  const double highest = value_at_all(perm_formula, d, -edge);
  if (!std::isfinite(highest)) {
    throw ConfigError("paper/functions",
                      fmt::format("'bo_perm' with {} inputs exceeds the range of a double; use fewer", d));
  }
  std::vector<double> best;
  for (std::size_t j = 1; j <= d; ++j) best.push_back(static_cast<double>(j) / edge);
  return {.formula = perm_formula,
          .box_low = -edge,
          .box_high = edge,
          .lowest = 0.0,
          .highest = highest,
          .argmin = std::move(best)};
}

/// Scales values to [-1,1] and negates them.
TestFunction to_maximise(std::string_view name, std::size_t d, MinimisationProblem problem) {
  std::vector<double> argmin = std::move(problem.argmin);
  auto evaluate = [p = std::move(problem)](std::span<const double> x) {
    std::vector<double> original(x.size());
    for (std::size_t j = 0; j < x.size(); ++j) original[j] = p.box_low + (x[j] + 1.0) / 2.0 * (p.box_high - p.box_low);
    return -to_unit(p.formula(original), p.lowest, p.highest);
  };
  const double best = evaluate(argmin);
  return {.name = std::string(name),
          .dimension = d,
          .evaluate = std::move(evaluate),
          .minimum = {},
          .maximum = KnownOptimum{.x = std::move(argmin), .value = best}};
}

}  // namespace

double levy_formula(std::span<const double> x, double last_terms) {
  const auto w = [&](std::size_t i) { return 1.0 + (x[i] - 1.0) / 4.0; };
  const std::size_t last = x.size() - 1;
  double value = squared(std::sin(pi * w(0)));
  for (std::size_t i = 0; i < last; ++i)
    value += squared(w(i) - 1.0) * (1.0 + 10.0 * squared(std::sin(pi * w(i) + 1.0)));
  return value + last_terms * squared(w(last) - 1.0) * (1.0 + squared(std::sin(2.0 * pi * w(last))));
}

double rosenbrock_formula(std::span<const double> x) {
  double value = 0.0;
  for (std::size_t i = 0; i + 1 < x.size(); ++i) value += 100.0 * squared(x[i + 1] - x[i] * x[i]) + squared(x[i] - 1.0);
  return value;
}

double g_formula(std::span<const double> x) {
  double value = 1.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double a = (static_cast<double>(i) - 1.0) / 2.0;
    value *= (std::abs(4.0 * x[i] - 2.0) + a) / (1.0 + a);
  }
  return value;
}

double perm_formula(std::span<const double> x) {
  constexpr double beta = 0.5;
  // Powers are updated as i grows: d^2 multiplications instead of d^2 calls of pow.
  std::vector<double> j_to_i(x.size(), 1.0);
  std::vector<double> ratio_to_i(x.size(), 1.0);
  double value = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    double inner = 0.0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      const auto number = static_cast<double>(j + 1);
      j_to_i[j] *= number;
      ratio_to_i[j] *= x[j] / number;
      inner += (j_to_i[j] + beta) * (ratio_to_i[j] - 1.0);
    }
    value += inner * inner;
  }
  return value;
}

std::vector<std::string> nd_function_names() {
  return {"bo_levy", "bo_rosenbrock", "bo_g_function", "bo_perm", "bo_levy_published"};
}

std::optional<TestFunction> nd_function(std::string_view name, std::size_t dimension) {
  const auto require_inputs = [&](std::size_t least) {
    if (dimension < least) {
      throw ConfigError("paper/functions",
                        fmt::format("'{}' needs at least {} inputs, got {}", name, least, dimension));
    }
  };
  const auto maximise = [&](MinimisationProblem problem) { return to_maximise(name, dimension, std::move(problem)); };
  if (name == "bo_levy") return require_inputs(1), maximise(levy(dimension, 1.0));
  if (name == "bo_rosenbrock") return require_inputs(2), maximise(rosenbrock(dimension));
  if (name == "bo_g_function") return require_inputs(1), maximise(g_function(dimension));
  if (name == "bo_perm") return require_inputs(1), maximise(perm(dimension));
  // The published runs added the last coordinate's term once per pass of the loop over the others.
  if (name == "bo_levy_published")
    return require_inputs(2), maximise(levy(dimension, static_cast<double>(dimension) - 1.0));
  return std::nullopt;
}

}  // namespace nomu
