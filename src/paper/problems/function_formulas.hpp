#pragma once
/// Test functions before scaling, on their original boxes, and the pieces that make up the lists of functions.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "paper/problems/functions.hpp"

namespace nomu {

/// Levy on [-10,10]^d; the term of the last coordinate is counted `last_terms` times (once in the literature).
[[nodiscard]] double levy_formula(std::span<const double> x, double last_terms = 1.0);
/// Rosenbrock on [-5,10]^d, d > 1.
[[nodiscard]] double rosenbrock_formula(std::span<const double> x);
/// G-function on [0,1]^d with a_i = (i - 2) / 2.
[[nodiscard]] double g_formula(std::span<const double> x);
/// Perm (d, beta = 0.5) on [-d,d]^d.
[[nodiscard]] double perm_formula(std::span<const double> x);

/// Maps [low, high] to [-1, 1].
[[nodiscard]] constexpr double to_unit(double value, double low, double high) {
  return (value - (high + low) / 2.0) * 2.0 / (high - low);
}

/// Functions of one and of two inputs, in the paper's order.
[[nodiscard]] std::vector<TestFunction> functions_1d();
[[nodiscard]] std::vector<TestFunction> functions_2d();

/// Functions of any number of inputs, to be maximised.
[[nodiscard]] std::vector<std::string> nd_function_names();
/// Empty for an unknown name. Throws ConfigError when the function does not exist in this dimension.
[[nodiscard]] std::optional<TestFunction> nd_function(std::string_view name, std::size_t dimension);

}  // namespace nomu
