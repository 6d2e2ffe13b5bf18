// Heads and losses where the members' data are in global memory.

#include "engine/cuda/heads.cuh"
#include "engine/cuda/kernels.hpp"
#include "engine/cuda/launch.cuh"

namespace nomu::engine::cuda {
namespace {

constexpr unsigned row_warps = 8;  // rows a block

__global__ void __launch_bounds__(32 * row_warps) row_loss_kernel(const View view, unsigned blocks) {
  const unsigned member = blockIdx.x / blocks;
  const unsigned row = blockIdx.x % blocks * row_warps + threadIdx.x / 32;
  const Control control = view.control[member];
  if (row >= control.rows) return;
  float* own = view.values_of(member);
  float out[most_outputs];
  outputs_of(view, view.weights_of(control.source, member), own, row, out);
  if (threadIdx.x % 32 != 0) return;
  const std::size_t first = std::size_t{member} * view.most_rows;
  view.row_loss[first + row] = row_loss_of(view, control, member, out, own, view.row_index + first, row);
}

__global__ void __launch_bounds__(32 * row_warps)
    output_kernel(const View view, float* out, unsigned rows, unsigned blocks) {
  const unsigned member = blockIdx.x / blocks;
  const unsigned row = blockIdx.x % blocks * row_warps + threadIdx.x / 32;
  const Control control = view.control[member];
  if (row >= control.rows) return;
  float values[most_outputs];
  outputs_of(view, view.weights_of(control.source, member), view.values_of(member), row, values);
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
