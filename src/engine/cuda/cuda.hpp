#pragma once
// The CUDA engine as the rest of the library sees it; no_cuda.cpp stands in for it in a build without CUDA.

#include <memory>

#include "engine/backend.hpp"
#include "nomu/engine/engine.hpp"

namespace nomu::engine::cuda {

/// Throws DeviceError if this build or this machine has no usable GPU.
[[nodiscard]] std::unique_ptr<Backend> make(const EngineOptions& options);

/// `available` is false, with the reason in `note`, if `make` would throw.
[[nodiscard]] EngineInfo info(const EngineOptions& options);

}  // namespace nomu::engine::cuda
