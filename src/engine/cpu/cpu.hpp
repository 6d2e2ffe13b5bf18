#pragma once
// The CPU engine: our own training step on bought matrix products, parallel over members and, for a big one, over
// tiles.

#include <memory>

#include "nomu/engine/engine.hpp"

namespace nomu::engine::cpu {

/// Throws ConfigError for a provider or instruction set that is not there.
[[nodiscard]] std::unique_ptr<Engine> make(const EngineOptions& options);

/// What `make` with these options would use.
[[nodiscard]] EngineInfo info(const EngineOptions& options);

}  // namespace nomu::engine::cpu
