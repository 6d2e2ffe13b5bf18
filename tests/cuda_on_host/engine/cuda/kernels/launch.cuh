#pragma once
// Stands in for the start of kernels on the host.

#include <cuda_runtime.h>

#include "engine/cuda/kernels/check.hpp"

namespace nomu::engine::cuda {

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), std::size_t blocks, unsigned threads, unsigned shared_bytes, cudaStream_t,
            const Arguments&... arguments) {
  if (blocks == 0) return;
  cuda_on_host::launch(blocks, threads, shared_bytes, [=] { kernel(Parameters(arguments)...); });
}

template <class... Parameters>
void allow_shared(void (*)(Parameters...), unsigned) {}

}  // namespace nomu::engine::cuda
