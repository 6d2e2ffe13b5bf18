// One round of every member whose data are in global memory: what each member does, and what its loss decides.

#include "engine/cuda/kernels/kernels.hpp"
#include "engine/cuda/kernels/launch.cuh"
#include "engine/cuda/kernels/rounds.cuh"

namespace nomu::engine::cuda {
namespace {

constexpr unsigned round_threads = 256;

__global__ void __launch_bounds__(round_threads) round_kernel(const View view) {
  __shared__ Control control;
  const unsigned member = blockIdx.x;
  begin_round(view, member, view.state[member], control, view.order + std::size_t{member} * view.most_data_rows,
              view.values_of(member) + view.x, view.row_index + std::size_t{member} * view.most_rows);
  if (threadIdx.x == 0) view.control[member] = control;
}

/// L2 penalty of the member's weights.
__device__ double penalty(const View& view, unsigned member) {
  double sum = 0.0;
#pragma unroll 4
  for (unsigned t = threadIdx.x; t < view.update_tiles; t += blockDim.x) {
    const auto l2 = static_cast<double>(view.l2[view.update[view.tiles[t].job].l2 * view.members + member]);
    const double squares = view.squares[std::size_t{member} * view.update_tiles + t];
    if (l2 != 0.0) sum += l2 * squares;
  }
  return block_sum(sum);
}

/// The two parameter buffers alternate, so that a snapshot never has to be copied: it stays where it is, and the next
/// parameters are written to the other buffer.
__device__ void choose_buffers(MemberState& state, Control& control) {
  if (control.keep == Keep::before_update) state.best = control.source;
  if (control.update == 0) return;
  const bool pinned = state.best == control.source && control.keep != Keep::after_update;
  control.target = pinned ? 1 - control.source : control.source;
  if (control.keep == Keep::after_update) state.best = control.target;
  state.current = control.target;
}

__global__ void __launch_bounds__(round_threads) decision_kernel(const View view) {
  const unsigned member = blockIdx.x;
  Control control = view.control[member];
  if (control.rows == 0) return;
  double rows = 0.0;
  for (unsigned r = threadIdx.x; r < control.rows; r += blockDim.x) {
    rows += view.row_loss[std::size_t{member} * view.most_rows + r];
  }
  rows = block_sum(rows);
  const double squares = penalty(view, member);
  if (threadIdx.x != 0) return;
  MemberState state = view.state[member];
  decide(view, member, state, control, rows, squares);
  if (view.train.snapshot != Snapshot::none) choose_buffers(state, control);
  view.state[member] = state;
  view.control[member] = control;
}

}  // namespace

void start_round(const View& view, cudaStream_t stream) {
  launch(round_kernel, view.members, round_threads, 0, stream, view);
}

void start_decision(const View& view, cudaStream_t stream) {
  launch(decision_kernel, view.members, round_threads, 0, stream, view);
}

}  // namespace nomu::engine::cuda
