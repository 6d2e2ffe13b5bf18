#pragma once
// The CPU engine: our own training step on bought matrix products, parallel over members and, for a big one, over
// tiles.

#include <memory>

#include "engine/backend.hpp"
#include "nomu/engine/engine.hpp"

namespace nomu::engine::cpu {

/// Throws ConfigError for an unknown provider or instruction set, DeviceError for a provider this build lacks.
[[nodiscard]] std::unique_ptr<Backend> make(const EngineOptions& options);

/// The same with exactly this many threads, even if there are fewer processors: for tests.
[[nodiscard]] std::unique_ptr<Backend> make(const EngineOptions& options, std::size_t threads);

/// What `make` with these options would use.
[[nodiscard]] EngineInfo info(const EngineOptions& options);

}  // namespace nomu::engine::cpu
