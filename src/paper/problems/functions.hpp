#pragma once
/// The test functions of the paper, all on the cube [-1,1]^d, and the inputs its experiments drew for them. Functions
/// for regression keep their sign; those for optimisation (`bo_...`) are negated so that they are to be maximised.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nomu {

/// A minimiser or maximiser of a function on the cube, and the value there.
struct KnownOptimum {
  std::vector<double> x;  ///< [d]; any one of them if there are several
  double value = 0.0;
};

/// A named function from [-1,1]^d to about [-1,1].
struct TestFunction {
  std::string name;
  std::size_t dimension = 0;
  /// The value at x, [d]. Throws DataError when x has a different length.
  std::function<double(std::span<const double>)> evaluate;
  std::optional<KnownOptimum> minimum = {};  ///< empty: not known in closed form
  std::optional<KnownOptimum> maximum = {};
};

/// A function by name. In one dimension: abs step kink square cubic sine1 sine2 sine3 forrester levy sine3_detrended;
/// in two: sphere g_function goldstein_price levy bukin6 rosenbrock beale camel perm branin styblinski_tang step; in
/// any: bo_levy bo_levy_published bo_rosenbrock bo_g_function bo_perm. The step falls in one dimension and rises in
/// two, as in the paper. Throws ConfigError with the nearest name, or with the dimensions the function exists in.
[[nodiscard]] TestFunction find_function(std::string_view name, std::size_t dimension);

/// All names, without duplicates.
[[nodiscard]] std::vector<std::string> function_names();

/// The names that exist in this dimension, in the paper's order.
[[nodiscard]] std::vector<std::string> function_names(std::size_t dimension);

/// The values at q points, [q][d] to [q]. Throws DataError when the size is not a multiple of d.
[[nodiscard]] std::vector<double> evaluate_rows(const TestFunction& function, std::span<const double> x);

/// Inputs of one run of the paper's experiments.
struct PaperInputs {
  std::vector<double> train;  ///< [n_train][d]
  std::vector<double> test;   ///< [n_test][d]
};

/// Uniform inputs on [-1,1]^d drawn with the run's Mersenne Twister seed: first the training rows, then the test rows.
[[nodiscard]] PaperInputs paper_inputs(std::uint32_t seed, std::size_t n_train, std::size_t n_test,
                                       std::size_t dimension);

}  // namespace nomu
