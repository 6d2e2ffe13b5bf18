#pragma once
// CUDA's failures as errors.

#include <cuda_runtime.h>

#define NOMU_CUDA_CHECK(call) ::nomu::engine::cuda::check_call((call), #call)

namespace nomu::engine::cuda {

/// Throws DeviceFailure with CUDA's own words if a call failed.
void check_call(cudaError_t status, const char* call);

}  // namespace nomu::engine::cuda
