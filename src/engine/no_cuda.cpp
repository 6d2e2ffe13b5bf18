// Linked instead of the CUDA engine in a build without it.

#include "engine/cuda/cuda.hpp"
#include "nomu/core/error.hpp"

namespace nomu::engine::cuda {

std::unique_ptr<Backend> make(const EngineOptions& /*options*/) {
  throw DeviceError("engine", "built without CUDA; use --device cpu, or configure with the preset 'cuda'");
}

EngineInfo info(const EngineOptions& /*options*/) {
  return {.name = "cuda",
          .provider = "none",
          .isa = "none",
          .threads = 0,
          .device = "none",
          .available = false,
          .note = "built without CUDA"};
}

}  // namespace nomu::engine::cuda
