// Heads and losses: one warp takes a row from its last hidden values to its loss and the slopes of its outputs.

#include "engine/cuda/kernels.hpp"
#include "engine/cuda/launch.cuh"
#include "engine/cuda/ptx.cuh"

namespace nomu::engine::cuda {
namespace {

constexpr unsigned row_warps = 8;  // rows a block

/// All outputs of a row, in every lane.
__device__ void outputs_of(const View& view, const Control& control, unsigned member, unsigned row, float* out) {
  const float* weights = view.weights_of(control.source, member);
  const float* own = view.values_of(member);
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

__global__ void __launch_bounds__(32 * row_warps) row_loss_kernel(const View view, unsigned blocks) {
  const unsigned member = blockIdx.x / blocks;
  const unsigned row = blockIdx.x % blocks * row_warps + threadIdx.x / 32;
  const Control control = view.control[member];
  if (row >= control.rows) return;
  float out[most_outputs];
  outputs_of(view, control, member, row, out);
  if (threadIdx.x % 32 != 0) return;
  const LossSettings<float>& loss = view.info[member].loss;
  RowLoss<float> result;
  double factor = 1.0 / static_cast<double>(control.rows - control.data_rows);
  if (row < control.data_rows) {
    const std::size_t from = std::size_t{member} * view.most_data_rows +
                             view.row_index[std::size_t{member} * view.most_rows + row];
    const float noise = view.data_noise == nullptr ? 1.0F : view.data_noise[from];
    result = data_loss(loss, out, view.data_y[from], noise);
    factor = static_cast<double>(view.data_weight[from]) * control.share;
  } else {
    result = augmented_loss(loss, out);
  }
  view.row_loss[std::size_t{member} * view.most_rows + row] = factor * static_cast<double>(result.value);
  for (unsigned k = 0; k < view.outputs; ++k) {
    const Output& output = view.output[k];
    if (!output.has_delta) continue;
    view.values_of(member)[output.delta + std::size_t{row} * head_ld] = static_cast<float>(factor) * result.slope[k];
  }
}

__global__ void __launch_bounds__(32 * row_warps)
    output_kernel(const View view, float* out, unsigned rows, unsigned blocks) {
  const unsigned member = blockIdx.x / blocks;
  const unsigned row = blockIdx.x % blocks * row_warps + threadIdx.x / 32;
  const Control control = view.control[member];
  if (row >= control.rows) return;
  float values[most_outputs];
  outputs_of(view, control, member, row, values);
  if (threadIdx.x % 32 != 0) return;
  for (unsigned k = 0; k < view.outputs; ++k) out[(std::size_t{member} * rows + row) * view.outputs + k] = values[k];
}

}  // namespace

void start_row_losses(const View& view, cudaStream_t stream) {
  const unsigned blocks = (view.most_rows + row_warps - 1) / row_warps;
  launch(row_loss_kernel, std::size_t{view.members} * blocks, 32 * row_warps, 0, stream, view, blocks);
}

void start_outputs(const View& view, float* out, std::uint32_t rows, cudaStream_t stream) {
  const unsigned blocks = (rows + row_warps - 1) / row_warps;
  launch(output_kernel, std::size_t{view.members} * blocks, 32 * row_warps, 0, stream, view, out, rows, blocks);
}

}  // namespace nomu::engine::cuda
