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

/// What one head says about unit `unit` in a row, added to what is known already.
__device__ inline float from_head(float delta, const HeadTerm& term, const Control& control, const float* weights,
                                  const float* own, unsigned row, unsigned unit) {
  if (term.data_rows_only && row >= control.data_rows) return delta;
  for (unsigned k = 0; k < term.outputs; ++k) {
    delta = fmaf(own[term.delta + std::size_t{row} * head_ld + k],
                 weights[term.weights + std::size_t{unit} * term.outputs + k], delta);
  }
  return delta;
}

/// What all heads say.
__device__ inline float from_heads(const View& view, const BackwardJob& job, const Control& control,
                                   const float* weights, const float* own, unsigned row, unsigned unit) {
  float delta = 0.0F;
  for (unsigned h = 0; h < job.terms; ++h) {
    delta = from_head(delta, view.terms[job.first_term + h], control, weights, own, row, unit);
  }
  return delta;
}

}  // namespace nomu::engine::cuda
