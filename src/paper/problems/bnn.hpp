#pragma once
/// Random functions for the generative test-bed: networks with every weight and bias drawn from one normal
/// distribution. A function depends on its spec only, and its values do not depend on the batch they are computed in.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "paper/problems/functions.hpp"

namespace nomu {

/// The distribution to draw from, and the seed.
struct BnnSpec {
  std::size_t dimension = 1;
  std::uint64_t seed = 0;
  std::vector<std::size_t> widths = {1024, 2048, 1024};  ///< hidden ReLU layers
  double sigma_prior = 0.0;  ///< standard deviation of weights and biases; 0: the paper's for this dimension
};

/// The paper's prior standard deviation, which gives functions a standard deviation of about 1 over the cube. Throws
/// ConfigError outside d = 1, 2, 5, 10, 20. In 20 dimensions it is 0.078; the paper's table misprints 0.070.
[[nodiscard]] double bnn_prior_sigma(std::size_t dimension);

/// One drawn function from R^d to R.
class BnnFunction {
 public:
  /// Throws ConfigError for a dimension or width of 0, a prior that is not positive, or no known prior.
  explicit BnnFunction(const BnnSpec& spec);

  [[nodiscard]] std::size_t dimension() const { return layers_.front().inputs; }
  [[nodiscard]] std::size_t parameters() const;
  /// Values at q points, [q][d] to [q]. Throws DataError when the size is not a multiple of d.
  [[nodiscard]] std::vector<double> evaluate(std::span<const double> x) const;

 private:
  struct Layer {
    std::size_t inputs = 0;
    std::size_t outputs = 0;
    std::vector<float> weight;  // [inputs][outputs]
    std::vector<float> bias;    // [outputs]
  };

  static void forward(const Layer& layer, std::size_t rows, std::span<const float> in, std::span<float> out);

  std::vector<Layer> layers_;
};

/// The drawn function as a TestFunction named "bnn"; its optimum is unknown.
[[nodiscard]] TestFunction as_test_function(BnnFunction function);

}  // namespace nomu
