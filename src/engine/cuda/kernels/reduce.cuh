#pragma once
// Sums over a block of threads, always in the same order.

#include "engine/cuda/kernels/ptx.cuh"

namespace nomu::engine::cuda {

/// The sum of every thread's value, in thread 0. All threads of the block take part; at most 1024.
__device__ inline double block_sum(double value) {
  __shared__ double warps[32];
  const double mine = warp_sum(value);
  __syncthreads();  // an earlier sum may still be read
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = mine;
  __syncthreads();
  double total = 0.0;
  if (threadIdx.x == 0) {
    for (unsigned w = 0; w < blockDim.x / 32; ++w) total += warps[w];
  }
  return total;
}

}  // namespace nomu::engine::cuda
