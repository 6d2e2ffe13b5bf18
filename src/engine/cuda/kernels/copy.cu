// Copies on the device: parameters out of their two buffers, rows into the workspaces.

#include "engine/cuda/kernels/kernels.hpp"
#include "engine/cuda/kernels/launch.cuh"
#include "engine/cuda/kernels/ptx.cuh"

namespace nomu::engine::cuda {
namespace {

constexpr unsigned copy_threads = 256;

__global__ void __launch_bounds__(copy_threads)
    collect_kernel(const View view, Buffer buffer, unsigned first, float* to, unsigned blocks) {
  const unsigned place = blockIdx.x / blocks;
  const MemberState& state = view.state[first + place];
  const float* from = view.weights_of(buffer == Buffer::best ? state.best : state.current, first + place);
  for (std::uint64_t e = std::uint64_t{blockIdx.x % blocks} * copy_threads + threadIdx.x; e < view.parameters;
       e += std::uint64_t{blocks} * copy_threads) {
    to[place * view.parameters + e] = from[e];
  }
}

__global__ void __launch_bounds__(copy_threads)
    input_kernel(const View view, const float* x, unsigned owners, unsigned all, unsigned first, unsigned rows) {
  const unsigned member = blockIdx.x;
  const float* from = x + ((owners == 1 ? 0 : std::size_t{member} * all) + first) * view.inputs;
  float* to = view.values_of(member) + view.x;
  for (unsigned e = threadIdx.x; e < rows * view.inputs; e += copy_threads) {
    to[std::size_t{e / view.inputs} * view.input_ld + e % view.inputs] = view.rounded ? to_tf32(from[e]) : from[e];
  }
}

}  // namespace

void start_collect(const View& view, Buffer buffer, std::uint32_t first, std::uint32_t count, float* to,
                   cudaStream_t stream) {
  const std::uint64_t all = (view.parameters + copy_threads - 1) / copy_threads;
  const auto blocks = static_cast<unsigned>(all < 256 ? all : 256);
  launch(collect_kernel, std::size_t{count} * blocks, copy_threads, 0, stream, view, buffer, first, to, blocks);
}

void start_inputs(const View& view, const float* x, std::uint32_t owners, std::uint32_t all, std::uint32_t first,
                  std::uint32_t rows, cudaStream_t stream) {
  launch(input_kernel, view.members, copy_threads, 0, stream, view, x, owners, all, first, rows);
}

}  // namespace nomu::engine::cuda
