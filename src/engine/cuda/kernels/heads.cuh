#pragma once
// Heads and losses: a row's way from its last hidden values to its loss, the slopes of its outputs and back to the
// layers whose deltas come from heads alone.

#include "engine/cuda/kernels/deltas.cuh"

namespace nomu::engine::cuda {

/// A row's product with a head's weights comes in parts, each added up by a warp: the sum is the same whether one warp
/// does all parts or each part has its own. The parts take turns with so many terms.
inline constexpr unsigned row_parts = 4;
inline constexpr unsigned part_terms = 256;
/// Warps of a block.
inline constexpr unsigned row_warps = 8;

/// A lane's share of a part. All terms of a turn are read before the first is added, because the wait for them is what
/// takes time.
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
  for (unsigned a = 0; a < ahead && u + 32 * a < depth; ++a)
    sum = fmaf(values[u + 32 * a], column[(u + 32 * a) * ld], sum);
  return sum;
}

/// All outputs of a row, in the first thread of the `warps` that take it together. All threads of the block take part,
/// those whose row is not `there` as well.
template <unsigned warps>
__device__ void outputs_of(const View& view, const float* weights, const float* own, unsigned row, bool there,
                           float* out) {
  __shared__ float parts[row_warps / warps][most_outputs][row_parts];
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
        sum[p] =
            add_share(sum[p], values, weights + segment.weights, segment.weight_ld, segment.depth, first + p * warps);
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

/// What the loss of a row needs to know of the data.
struct RowData {
  float target, noise, weight;
};

/// `index` says which data row it is; artificial ones have none.
__device__ inline RowData row_data_of(const View& view, const Control& control, unsigned member,
                                      const std::uint32_t* index, unsigned row) {
  if (row >= control.data_rows) return {};
  const std::size_t from = std::size_t{member} * view.most_data_rows + index[row];
  return {view.data_y[from], view.data_noise == nullptr ? 1.0F : view.data_noise[from], view.data_weight[from]};
}

/// The loss of a row with these outputs, with its share of the whole; writes the slopes of the outputs.
__device__ inline double row_loss_of(const View& view, const Control& control, const LossSettings<float>& loss,
                                     const RowData& data, const float* out, float* own, unsigned row) {
  RowLoss<float> result;
  double factor = 1.0 / static_cast<double>(control.rows - control.data_rows);
  if (row < control.data_rows) {
    result = data_loss(loss, out, data.target, data.noise);
    factor = static_cast<double>(data.weight) * control.share;
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

/// A row's deltas that come from heads alone, by `threads` threads of which this one is number `thread`.
__device__ inline void top_deltas(const View& view, const Control& control, unsigned member, const float* weights,
                                  float* own, unsigned row, unsigned thread, unsigned threads) {
  for (unsigned t = 0; t < view.tops; ++t) {
    const BackwardJob job = view.backward[view.top[t]];
    if (job.data_rows_only && row >= control.data_rows) continue;
    const float rate = view.dropout[job.layer * view.members + member];
    const bool simple = plain(view, job, control, rate);
    const DropoutMask mask = mask_of(control, view.info[member].seed, job.layer, rate);
    for (unsigned unit = 4 * thread; unit < job.units; unit += 4 * threads) {
      const std::size_t place = std::size_t{row} * job.ld + unit;
      const Quad values = read_quad(own + job.values + place);
      Quad deltas;
      if (simple) {
        const OneHead head = head_of(view, job, weights, own, unit);
        deltas = plain_deltas({}, values, head.slope(row), head.weights);
      } else {
        deltas = any_deltas(view, job, control, mask, weights, own, row, unit, {}, values);
      }
      write_quad(own + job.out + place, view.rounded ? rounded(deltas) : deltas);
    }
  }
}

}  // namespace nomu::engine::cuda
