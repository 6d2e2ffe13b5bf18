#pragma once
// One trained network in double precision, row by row: its value, its last hidden layer, and the derivatives of its
// output with respect to every parameter. Bayesian treatments of a trained network build on it.

#include <cstddef>
#include <span>
#include <vector>

#include "engine/layout.hpp"

namespace nomu {

class LinearisedNet {
 public:
  /// `layout` must describe a single network with one output; it and the parameters must outlive the object.
  LinearisedNet(const engine::Layout& layout, std::span<const float> parameters);

  /// Number of weights and biases.
  [[nodiscard]] std::size_t parameters() const { return count_; }
  /// Units of the last hidden layer, plus one for the bias.
  [[nodiscard]] std::size_t features() const { return layout_.layers.back().fan_in() + 1; }

  /// The output at a row; `features` [features()] receives the last hidden layer followed by 1.
  double evaluate(std::span<const float> x, std::span<double> features);

  /// The output at a row; `slopes` [parameters()] receives its derivatives, layer by layer, weights before biases.
  double differentiate(std::span<const float> x, std::span<double> slopes);

  /// Sum of the squares of all weights and biases, or of those of the head alone.
  [[nodiscard]] double squares(bool head_only) const;

 private:
  double forward(std::span<const float> x);

  const engine::Layout& layout_;
  std::vector<double> values_;  ///< the parameters, at the layout's offsets
  std::size_t count_ = 0;
  std::vector<std::vector<double>> activity_;  ///< input, then the output of each layer
  std::vector<std::vector<double>> delta_;     ///< of each layer
};

}  // namespace nomu
