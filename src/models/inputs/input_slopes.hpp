#pragma once
// Derivatives of network outputs with respect to the inputs: one backward pass per output, on the host, from the fitted
// parameters.

#include "engine/plan.hpp"
#include "nomu/core/tensor.hpp"

namespace nomu {

struct OutputSlopes {
  Tensor<float> outputs;  ///< [M][q][K]
  Tensor<float> slopes;   ///< [M][q][K d]: derivative of output k with respect to input j at k d + j
};

/// For x [1 or M][q][d] and parameters [M][1][P]; dropout is off.
[[nodiscard]] OutputSlopes input_slopes(const engine::Networks& networks, const Tensor<float>& parameters,
                                        const Tensor<float>& x);

}  // namespace nomu
