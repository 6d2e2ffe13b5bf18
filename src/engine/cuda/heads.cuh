#pragma once
// Heads and losses: a row's way from its last hidden values to its loss and the slopes of its outputs.

#include "engine/cuda/ptx.cuh"
#include "engine/cuda/tables.hpp"

namespace nomu::engine::cuda {

/// A lane's share of a row's product with a head's weights. Several terms are read before the first is added: what
/// takes time is to wait for them.
__device__ inline float add_share(float sum, const float* values, const float* column, std::size_t ld, unsigned depth) {
  constexpr unsigned ahead = 8;
  unsigned u = threadIdx.x % 32;
  for (; u + 32 * (ahead - 1) < depth; u += 32 * ahead) {
    float value[ahead], weight[ahead];
#pragma unroll
    for (unsigned a = 0; a < ahead; ++a) {
      value[a] = values[u + 32 * a];
      weight[a] = column[(u + 32 * a) * ld];
    }
#pragma unroll
    for (unsigned a = 0; a < ahead; ++a) sum = fmaf(value[a], weight[a], sum);
  }
  for (; u < depth; u += 32) sum = fmaf(values[u], column[u * ld], sum);
  return sum;
}

/// All outputs of a row, in every lane of the warp that takes it.
__device__ inline void outputs_of(const View& view, const float* weights, const float* own, unsigned row, float* out) {
  for (unsigned k = 0; k < view.outputs; ++k) {
    const Output output = view.output[k];
    float sum = 0.0F;
    for (unsigned s = 0; s < output.segments; ++s) {
      const Segment segment = view.segments[output.first_segment + s];
      sum = add_share(sum, own + segment.values + std::size_t{row} * segment.values_ld, weights + segment.weights,
                      segment.weight_ld, segment.depth);
    }
    out[k] = warp_sum(sum) + weights[output.bias];
  }
}

/// The loss of a row with these outputs, with its share of the whole; writes the slopes of the outputs. `index` says
/// which data row it is.
__device__ inline double row_loss_of(const View& view, const Control& control, unsigned member, const float* out,
                                     float* own, const std::uint32_t* index, unsigned row) {
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
