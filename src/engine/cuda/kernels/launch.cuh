#pragma once
// Starts kernels and turns every failure into an error.

#include <cuda_runtime.h>

#include "engine/cuda/kernels/check.hpp"

namespace nomu::engine::cuda {

/// Starts `blocks` blocks of `threads` threads; nothing if `blocks` is 0.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), std::size_t blocks, unsigned threads, unsigned shared_bytes,
            cudaStream_t stream, const Arguments&... arguments) {
  if (blocks == 0) return;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  NOMU_CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...));
}

/// Lets a kernel use more shared memory than the 48 KB that every kernel may use.
template <class... Parameters>
void allow_shared(void (*kernel)(Parameters...), unsigned bytes) {
  NOMU_CUDA_CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                       cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
}

}  // namespace nomu::engine::cuda
