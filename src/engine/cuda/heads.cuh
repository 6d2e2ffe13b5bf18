#pragma once
// Heads and losses: a row's way from its last hidden values to its loss and the slopes of its outputs.

#include "engine/cuda/ptx.cuh"
#include "engine/cuda/tables.hpp"

namespace nomu::engine::cuda {

/// A row's product with a head's weights comes in parts, each added up by a warp: the sum is the same whether one warp does
/// all of them or each one of its own. The parts take turns with so many terms.
inline constexpr unsigned row_parts = 4;
inline constexpr unsigned part_terms = 256;

/// A lane's share of a part. All terms of a turn are read before the first is added: what takes time is to wait for them.
__device__ inline float add_share(float sum, const float* values, const float* column, std::size_t ld, unsigned depth,
                                  unsigned part) {
  constexpr unsigned ahead = part_terms / 32;
  unsigned u = part_terms * part + threadIdx.x % 32;
  for (; u + part_terms - 32 < depth; u += row_parts * part_terms) {
    float value[ahead], weight[ahead];
#pragma unroll
    for (unsigned a = 0; a < ahead; ++a) {
      value[a] = values[u + 32 * a];
      weight[a] = column[(u + 32 * a) * ld];
    }
#pragma unroll
    for (unsigned a = 0; a < ahead; ++a) sum = fmaf(value[a], weight[a], sum);
  }
  for (unsigned a = 0; a < ahead && u + 32 * a < depth; ++a) sum = fmaf(values[u + 32 * a], column[(u + 32 * a) * ld], sum);
  return sum;
}

/// All outputs of a row, in the first thread of the `warps` that take it together. All threads of the block take part,
/// those whose row is not `there` as well; a block has eight warps.
template <unsigned warps>
__device__ void outputs_of(const View& view, const float* weights, const float* own, unsigned row, bool there,
                           float* out) {
  __shared__ float parts[8 / warps][most_outputs][row_parts];
  float(&mine)[most_outputs][row_parts] = parts[threadIdx.x / (32 * warps)];
  const unsigned first = threadIdx.x / 32 % warps;
  for (unsigned k = 0; there && k < view.outputs; ++k) {
    const Output output = view.output[k];
    float sum[row_parts / warps] = {};
    for (unsigned s = 0; s < output.segments; ++s) {
      const Segment segment = view.segments[output.first_segment + s];
      const float* values = own + segment.values + std::size_t{row} * segment.values_ld;
#pragma unroll
      for (unsigned p = 0; p < row_parts / warps; ++p) {
        sum[p] = add_share(sum[p], values, weights + segment.weights, segment.weight_ld, segment.depth, first + p * warps);
      }
    }
#pragma unroll
    for (unsigned p = 0; p < row_parts / warps; ++p) {
      sum[p] = warp_sum(sum[p]);
      if (threadIdx.x % 32 == 0) mine[k][first + p * warps] = sum[p];
    }
  }
  if (warps > 1) __syncthreads();
  if (!there || threadIdx.x % (32 * warps) != 0) return;
  for (unsigned k = 0; k < view.outputs; ++k) {
    float sum = 0.0F;
    for (const float part : mine[k]) sum += part;
    out[k] = sum + weights[view.output[k].bias];
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
