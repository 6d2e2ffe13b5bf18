// Networks that fit into the shared memory of one processor: a block of threads takes a member through many rounds
// without leaving the chip. Parameters, moments, gradients and all values of a step stay in shared memory; sums are
// plain single precision. The same tables as everywhere describe the networks.

#include "engine/cuda/kernels/heads.cuh"
#include "engine/cuda/kernels/kernels.hpp"
#include "engine/cuda/kernels/launch.cuh"
#include "engine/cuda/kernels/rounds.cuh"
#include "engine/cuda/resident/update.cuh"

namespace nomu::engine::cuda {
namespace {

constexpr unsigned resident_threads = 512;

__device__ Resident place(const View& view) {
  Resident r{};
  float* next = shared_memory();
  const auto take = [&next](std::uint64_t count) {
    float* begin = next;
    next += (count + 3) / 4 * 4;
    return begin;
  };
  r.values = take(view.workspace);
  r.weights = take(view.parameters);
  r.first = take(view.parameters);
  r.second = take(view.parameters);
  r.gradient = take(view.parameters);
  if (view.train.amsgrad) r.largest = take(view.parameters);
  r.index = reinterpret_cast<std::uint32_t*>(take(view.most_rows));
  if (view.order != nullptr) r.order = reinterpret_cast<std::uint32_t*>(take(view.most_data_rows));
  return r;
}

template <class T>
__device__ void copy(T* to, const T* from, std::uint64_t count) {
  for (std::uint64_t e = threadIdx.x; e < count; e += blockDim.x) to[e] = from[e];
}

/// L2 penalty of the weights in shared memory.
__device__ double penalty(const View& view, const Resident& r, unsigned member) {
  double sum = 0.0;
  for (unsigned j = 0; j < view.update_jobs; ++j) {
    const UpdateJob& job = view.update[j];
    const auto l2 = static_cast<double>(view.l2[job.l2 * view.members + member]);
    if (l2 == 0.0) continue;
    float part = 0.0F;
    const float* w = r.weights + job.weights;
    for (unsigned e = threadIdx.x; e < job.inputs * job.units; e += blockDim.x) part = fmaf(w[e], w[e], part);
    const float* b = r.weights + job.bias;
    for (unsigned e = threadIdx.x; job.first && e < job.units; e += blockDim.x) part = fmaf(b[e], b[e], part);
    sum += l2 * static_cast<double>(part);
  }
  return block_sum(sum);
}

/// Sum of the losses of a round's rows.
__device__ double row_losses(const View& view, const Resident& r, const Control control, unsigned member) {
  double sum = 0.0;
  for (unsigned row = threadIdx.x; row < control.rows; row += blockDim.x) {
    float out[most_outputs];
    row_outputs(view, r, row, out);
    sum += row_loss_of(view, control, view.info[member].loss, row_data_of(view, control, member, r.index, row), out,
                       r.values, row);
  }
  return block_sum(sum);
}

/// Forward and loss of a round, and what they decide.
__device__ void evaluate(const View& view, const Resident& r, unsigned member, MemberState& state, Control& control) {
  for (unsigned j = 0; j < view.forward_jobs; ++j) {
    forward(view, r, view.forward[j], control, member);
    __syncthreads();
  }
  const double rows = row_losses(view, r, control, member);
  const double squares = penalty(view, r, member);
  if (threadIdx.x == 0) decide(view, member, state, control, rows, squares);
  __syncthreads();
}

__device__ void improve(const View& view, const Resident& r, unsigned member, const Control& control) {
  for (unsigned j = 0; j < view.backward_jobs; ++j) {
    backward(view, r, view.backward[j], control, member);
    __syncthreads();
  }
  update(view, r, control, member);
}

__global__ void __launch_bounds__(resident_threads) resident_kernel(const View view, unsigned rounds) {
  __shared__ Control control;
  __shared__ MemberState state;
  const unsigned member = blockIdx.x;
  const std::uint64_t own = member * view.parameters;
  if (threadIdx.x == 0) state = view.state[member];
  __syncthreads();
  if (!state.course.active() || state.course.epochs >= state.target) return;
  const Resident r = place(view);
  float* kept = view.weights_of(state.best, member);
  copy(r.weights, view.weights_of(0, member), view.parameters);
  copy(r.first, view.first + own, view.parameters);
  copy(r.second, view.second + own, view.parameters);
  if (r.largest != nullptr) copy(r.largest, view.largest + own, view.parameters);
  if (r.order != nullptr) copy(r.order, view.order + std::size_t{member} * view.most_data_rows, view.most_data_rows);
  for (unsigned round = 0; round < rounds; ++round) {
    begin_round(view, member, state, control, r.order, r.values + view.x, r.index);
    __syncthreads();
    if (control.rows == 0) break;
    evaluate(view, r, member, state, control);
    if (control.keep == Keep::before_update) copy(kept, r.weights, view.parameters);
    if (control.update == 0) continue;
    improve(view, r, member, control);
    if (control.keep == Keep::after_update) copy(kept, r.weights, view.parameters);
  }
  __syncthreads();
  copy(view.weights_of(0, member), r.weights, view.parameters);
  copy(view.first + own, r.first, view.parameters);
  copy(view.second + own, r.second, view.parameters);
  if (r.largest != nullptr) copy(view.largest + own, r.largest, view.parameters);
  if (r.order != nullptr) copy(view.order + std::size_t{member} * view.most_data_rows, r.order, view.most_data_rows);
  if (threadIdx.x == 0) view.state[member] = state;
}

}  // namespace

std::size_t resident_bytes(const ResidentSize& size) {
  const auto padded = [](std::size_t count) { return (count + 3) / 4 * 4; };
  return sizeof(float) * (padded(size.workspace) + (size.amsgrad ? 5 : 4) * padded(size.parameters) +
                          padded(size.rows) + padded(size.ordered_rows));
}

void prepare_resident(std::size_t bytes) { allow_shared(resident_kernel, static_cast<unsigned>(bytes)); }

void start_resident(const View& view, std::uint32_t rounds, std::size_t bytes, cudaStream_t stream) {
  launch(resident_kernel, view.members, resident_threads, static_cast<unsigned>(bytes), stream, view, rounds);
}

}  // namespace nomu::engine::cuda
