#pragma once
// The reference engine, with which the others are compared: double precision, one thread, no optimisation.

#include <memory>

#include "engine/backend.hpp"
#include "nomu/engine/engine.hpp"

namespace nomu::engine::reference {

[[nodiscard]] std::unique_ptr<Backend> make();
[[nodiscard]] EngineInfo info();

}  // namespace nomu::engine::reference
