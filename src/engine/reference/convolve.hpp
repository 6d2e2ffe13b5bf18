#pragma once
// A convolution of one row in plain loops and double precision, forward and backward.

#include <vector>

#include "engine/convolution.hpp"
#include "engine/math.hpp"

namespace nomu::engine::reference {

/// A convolution with its parameters: weights [patch][filters], bias [filters].
struct Filters {
  const Convolution& shape;
  Activation activation;
  const double* weights;
  const double* bias;
};

/// The activated map [height][width][filters] of one row of the source, before pooling.
[[nodiscard]] std::vector<double> convolved(const Filters& filters, const double* source);

/// What pooling makes of a map: [height][width][filters] into `out`.
void pool(const Convolution& shape, const std::vector<double>& map, double* out);

/// Given the derivatives of the loss by the pooled values, adds those by weights, bias and, if asked for, source.
void backward(const Filters& filters, const double* source, const double* by_pooled, double* by_weights,
              double* by_bias, double* by_source);

}  // namespace nomu::engine::reference
