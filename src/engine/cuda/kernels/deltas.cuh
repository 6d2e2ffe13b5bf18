#pragma once
// The backward pass through a unit.

#include "engine/cuda/kernels/masks.cuh"
#include "engine/cuda/kernels/quads.cuh"

namespace nomu::engine::cuda {

/// From the derivative by a unit's activated value, `delta`, to that by its pre-activation.
__device__ inline float through_activation(Activation activation, float value, float delta, float rate, bool kept) {
  if (rate == 0.0F) return delta * activation_slope(activation, value);
  return kept ? delta / (1.0F - rate) * activation_slope(activation, value * (1.0F - rate)) : 0.0F;
}

/// Adds the derivative that comes from one head for unit `unit` of a row.
__device__ inline float from_head(float delta, const HeadTerm& term, const Control& control, const float* weights,
                                  const float* own, unsigned row, unsigned unit) {
  if (term.data_rows_only && row >= control.data_rows) return delta;
  for (unsigned k = 0; k < term.outputs; ++k) {
    delta = fmaf(own[term.delta + std::size_t{row} * head_ld + k],
                 weights[term.weights + std::size_t{unit} * term.outputs + k], delta);
  }
  return delta;
}

/// The same for all heads.
__device__ inline float from_heads(const View& view, const BackwardJob& job, const Control& control,
                                   const float* weights, const float* own, unsigned row, unsigned unit) {
  float delta = 0.0F;
  for (unsigned h = 0; h < job.terms; ++h) {
    delta = from_head(delta, view.terms[job.first_term + h], control, weights, own, row, unit);
  }
  return delta;
}

/// For a layer's units that at most one output of a head reads directly.
struct OneHead {
  const float* slopes = nullptr;  ///< of the head's output, head_ld apart; null: there is none
  Quad weights{};                 ///< of the thread's four units

  [[nodiscard]] __device__ float slope(unsigned row) const {
    return slopes == nullptr ? 0.0F : slopes[std::size_t{row} * head_ld];
  }
};

/// Whether all of a layer's deltas come as those of ReLU units without dropout, from other layers and one head at most.
__device__ inline bool plain(const View& view, const BackwardJob& job, const Control& control, float rate) {
  if (rate != 0.0F || job.activation != Activation::relu || job.terms > 1) return false;
  if (job.terms == 0) return true;
  const HeadTerm& term = view.terms[job.first_term];
  return term.outputs == 1 && (!term.data_rows_only || job.data_rows_only || control.data_rows == control.rows);
}

__device__ inline OneHead head_of(const View& view, const BackwardJob& job, const float* weights, const float* own,
                                  unsigned unit) {
  if (job.terms == 0) return {};
  const HeadTerm& term = view.terms[job.first_term];
  return {own + term.delta, read_some(weights + term.weights + unit, job.units - unit)};
}

/// Deltas of four such units of a row: `sums` come from other layers.
__device__ inline Quad plain_deltas(const Quad& sums, const Quad& values, float slope, const Quad& weights) {
  Quad deltas;
#pragma unroll
  for (unsigned e = 0; e < 4; ++e) {
    const float delta = sums.value[e] + fmaf(slope, weights.value[e], 0.0F);
    deltas.value[e] = delta * activation_slope(Activation::relu, values.value[e]);
  }
  return deltas;
}

/// The same for units of all kinds.
__device__ inline Quad any_deltas(const View& view, const BackwardJob& job, const Control& control,
                                  const DropoutMask& mask, const float* weights, const float* own, unsigned row,
                                  unsigned unit, const Quad& sums, const Quad& values) {
  bool kept[4] = {true, true, true, true};
  // A positive ReLU unit was not dropped; other activations need the mask again.
  if (mask.rate > 0.0F && job.activation != Activation::relu) {
    kept_units(mask, std::uint64_t{row} * job.units + unit, kept);
  }
  Quad deltas = sums;
#pragma unroll
  for (unsigned e = 0; e < 4; ++e) {
    if (unit + e >= job.units) continue;
    const float delta = sums.value[e] + from_heads(view, job, control, weights, own, row, unit + e);
    deltas.value[e] = through_activation(job.activation, values.value[e], delta, mask.rate, kept[e]);
  }
  return deltas;
}

}  // namespace nomu::engine::cuda
