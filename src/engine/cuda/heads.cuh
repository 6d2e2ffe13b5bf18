#pragma once
// Heads and losses: one warp takes a row from its last hidden values to its loss and the slopes of its outputs.

#include "engine/cuda/ptx.cuh"
#include "engine/cuda/tables.hpp"

namespace nomu::engine::cuda {

/// All outputs of a row, in every lane.
__device__ inline void outputs_of(const View& view, const float* weights, const float* own, unsigned row, float* out) {
  for (unsigned k = 0; k < view.outputs; ++k) {
    const Output& output = view.output[k];
    float sum = 0.0F;
    for (unsigned s = 0; s < output.segments; ++s) {
      const Segment& segment = view.segments[output.first_segment + s];
      const float* values = own + segment.values + std::size_t{row} * segment.values_ld;
      const float* column = weights + segment.weights;
      for (unsigned u = threadIdx.x % 32; u < segment.depth; u += 32) {
        sum = fmaf(values[u], column[std::size_t{u} * segment.weight_ld], sum);
      }
    }
    out[k] = warp_sum(sum) + weights[output.bias];
  }
}

/// Takes a row from its last hidden values to its loss, which lane 0 returns with its share of the whole, and writes
/// the slopes of the outputs. `index` says which data row it is.
__device__ inline double row_loss_of(const View& view, const Control& control, unsigned member, const float* weights,
                                     float* own, const std::uint32_t* index, unsigned row) {
  float out[most_outputs];
  outputs_of(view, weights, own, row, out);
  if (threadIdx.x % 32 != 0) return 0.0;
  const LossSettings<float>& loss = view.info[member].loss;
  RowLoss<float> result;
  double factor = 1.0 / static_cast<double>(control.rows - control.data_rows);
  if (row < control.data_rows) {
    const std::size_t from = std::size_t{member} * view.most_data_rows + index[row];
    const float noise = view.data_noise == nullptr ? 1.0F : view.data_noise[from];
    result = data_loss(loss, out, view.data_y[from], noise);
    factor = static_cast<double>(view.data_weight[from]) * control.share;
  } else {
    result = augmented_loss(loss, out);
  }
  for (unsigned k = 0; k < view.outputs; ++k) {
    const Output& output = view.output[k];
    if (!output.has_delta) continue;
    own[output.delta + std::size_t{row} * head_ld] = static_cast<float>(factor) * result.slope[k];
  }
  return factor * static_cast<double>(result.value);
}

}  // namespace nomu::engine::cuda
