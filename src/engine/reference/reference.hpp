#pragma once
// The oracle engine: double precision, one thread, no cleverness.

#include <memory>

#include "nomu/engine/engine.hpp"

namespace nomu::engine::reference {

[[nodiscard]] std::unique_ptr<Engine> make();
[[nodiscard]] EngineInfo info();

}  // namespace nomu::engine::reference
