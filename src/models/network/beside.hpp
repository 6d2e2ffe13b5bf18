#pragma once
// Two pieces of training at the same time, where one of them has too few networks to keep every thread busy.

#include <cstddef>
#include <functional>

#include "nomu/core/progress.hpp"
#include "nomu/engine/engine.hpp"

namespace nomu {

/// Calls `most`, which trains `networks` networks on this engine, and `rest`; the latter beside it with an engine and a
/// thread of its own if enough threads are idle, and otherwise afterwards with this one. They must not depend on each
/// other. Progress is reported by one at a time. Rethrows what either threw.
void train_beside_each_other(Engine& engine, std::size_t networks, const Progress& progress,
                             const std::function<void()>& most,
                             const std::function<void(Engine& engine, const Progress& progress)>& rest);

}  // namespace nomu
