// Heads and losses of members whose data are in global memory.

#include "engine/cuda/kernels/heads.cuh"
#include "engine/cuda/kernels/kernels.hpp"
#include "engine/cuda/kernels/launch.cuh"

namespace nomu::engine::cuda {
namespace {

constexpr unsigned block_threads = 32 * row_warps;

/// The row that a thread works on, and whether its member has that row in this round.
template <unsigned warps>
struct RowOfThread {
  unsigned member, row;
  Control control;

  __device__ RowOfThread(const View& view, unsigned blocks)
      : member(blockIdx.x / blocks),
        row((blockIdx.x % blocks * block_threads + threadIdx.x) / (32 * warps)),
        control(view.control[member]) {}
  [[nodiscard]] __device__ bool there() const { return row < control.rows; }
  /// Whether this thread finishes the row.
  [[nodiscard]] __device__ bool finishes() const { return there() && threadIdx.x % (32 * warps) == 0; }
};

template <unsigned warps>
__global__ void __launch_bounds__(block_threads) row_loss_kernel(const View view, unsigned blocks) {
  const RowOfThread<warps> at(view, blocks);
  const std::size_t first = std::size_t{at.member} * view.most_rows;
  const float* weights = view.weights_of(at.control.source, at.member);
  float* own = view.values_of(at.member);
  RowData data{};
  LossSettings<float> loss{};
  if (at.finishes()) {  // long before they are needed
    data = row_data_of(view, at.control, at.member, view.row_index + first, at.row);
    loss = view.info[at.member].loss;
  }
  float out[most_outputs];
  outputs_of<warps>(view, weights, own, at.row, at.there(), out);
  if (at.finishes()) view.row_loss[first + at.row] = row_loss_of(view, at.control, loss, data, out, own, at.row);
  if (at.control.masks != Masks::training) return;  // a pass that changes nothing
  warps == 1 ? __syncwarp() : __syncthreads();
  if (at.there()) {
    top_deltas(view, at.control, at.member, weights, own, at.row, threadIdx.x % (32 * warps), 32 * warps);
  }
}

template <unsigned warps>
__global__ void __launch_bounds__(block_threads)
    output_kernel(const View view, unsigned blocks, float* out, unsigned rows) {
  const RowOfThread<warps> at(view, blocks);
  float values[most_outputs];
  outputs_of<warps>(view, view.weights_of(at.control.source, at.member), view.values_of(at.member), at.row, at.there(),
                    values);
  if (!at.finishes()) return;
  for (unsigned k = 0; k < view.outputs; ++k) {
    out[(std::size_t{at.member} * rows + at.row) * view.outputs + k] = values[k];
  }
}

/// Starts `alone`, with a warp for each row, or, if that would leave processors idle, `together`, with a warp for each
/// part of a row.
template <class... Parameters, class... Arguments>
void start(void (*alone)(View, unsigned, Parameters...), void (*together)(View, unsigned, Parameters...),
           const View& view, std::size_t rows, cudaStream_t stream, const Arguments&... arguments) {
  constexpr std::size_t many_rows = 8192;
  const bool few = view.members * rows < many_rows;
  const std::size_t block_rows = row_warps / (few ? row_parts : 1);
  const auto blocks = static_cast<unsigned>((rows + block_rows - 1) / block_rows);
  launch(few ? together : alone, std::size_t{view.members} * blocks, block_threads, 0, stream, view, blocks,
         arguments...);
}

}  // namespace

void start_row_losses(const View& view, cudaStream_t stream) {
  start(row_loss_kernel<1>, row_loss_kernel<row_parts>, view, view.most_rows, stream);
}

void start_outputs(const View& view, float* out, std::uint32_t rows, cudaStream_t stream) {
  start(output_kernel<1>, output_kernel<row_parts>, view, rows, stream, out, rows);
}

}  // namespace nomu::engine::cuda
