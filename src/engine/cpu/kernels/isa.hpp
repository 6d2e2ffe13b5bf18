#pragma once
// The kernel tables of this build that this processor can run; one source file per processor family.

#include <vector>

#include "engine/cpu/kernels/kernels.hpp"

namespace nomu::engine::cpu {

/// Best first; never empty.
[[nodiscard]] std::vector<const Kernels*> usable_tables();

}  // namespace nomu::engine::cpu
