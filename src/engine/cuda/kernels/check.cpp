#include "engine/cuda/kernels/check.hpp"

#include <fmt/format.h>

#include "nomu/core/error.hpp"

namespace nomu::engine::cuda {

void check_call(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  const std::string name = std::string(call).substr(0, std::string(call).find('('));
  throw DeviceFailure("engine/cuda", fmt::format("{} failed: {}; is the GPU free and the driver current?", name,
                                                 cudaGetErrorString(status)));
}

}  // namespace nomu::engine::cuda
