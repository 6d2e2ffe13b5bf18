#pragma once
// One trained network in double precision, row by row: its value, its last hidden layer, and the slopes of its output
// by every parameter. What Bayesian treatments of a trained network are made of.

#include <cstddef>
#include <span>
#include <vector>

#include "engine/layout.hpp"

namespace nomu {

class LinearisedNet {
 public:
  /// `layout` must be of a single network with one output; it and the parameters must outlive the object.
  LinearisedNet(const engine::Layout& layout, std::span<const float> parameters);

  /// Number of weights and biases.
  [[nodiscard]] std::size_t parameters() const { return count_; }
  /// Units of the last hidden layer and one for the bias.
  [[nodiscard]] std::size_t features() const { return layout_.layers.back().fan_in() + 1; }

  /// The output at a row; `features` [features()] becomes the last hidden layer followed by 1.
  double evaluate(std::span<const float> x, std::span<double> features);

  /// The output at a row; `slopes` [parameters()] becomes its derivatives, layer by layer, weights before biases.
  double differentiate(std::span<const float> x, std::span<double> slopes);

  /// Sum of the squares of all weights and biases, or of those of the head alone.
  [[nodiscard]] double squares(bool head_only) const;

 private:
  double forward(std::span<const float> x);

  const engine::Layout& layout_;
  std::vector<double> values_;  ///< the parameters, by the layout's offsets
  std::size_t count_ = 0;
  std::vector<std::vector<double>> activity_;  ///< input, then the output of each layer
  std::vector<std::vector<double>> delta_;     ///< of each layer
};

}  // namespace nomu
