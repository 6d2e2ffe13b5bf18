#pragma once
// Derivatives on their way back through a unit.

#include <cuda_runtime.h>

#include "engine/cuda/tables.hpp"

namespace nomu::engine::cuda {

/// From the derivative by a unit's activated value, `delta`, to that by its pre-activation.
__device__ inline float through_activation(Activation activation, float value, float delta, float rate, bool kept) {
  if (rate == 0.0F) return delta * activation_slope(activation, value);
  return kept ? delta / (1.0F - rate) * activation_slope(activation, value * (1.0F - rate)) : 0.0F;
}

/// What the heads say about unit `unit` in a row.
__device__ inline float from_heads(const View& view, const BackwardJob& job, const Control& control,
                                   const float* weights, const float* own, unsigned row, unsigned unit) {
  float delta = 0.0F;
  for (unsigned h = 0; h < job.terms; ++h) {
    const HeadTerm& term = view.terms[job.first_term + h];
    if (term.data_rows_only && row >= control.data_rows) continue;
    for (unsigned k = 0; k < term.outputs; ++k) {
      delta = fmaf(own[term.delta + std::size_t{row} * head_ld + k],
                   weights[term.weights + std::size_t{unit} * term.outputs + k], delta);
    }
  }
  return delta;
}

}  // namespace nomu::engine::cuda
