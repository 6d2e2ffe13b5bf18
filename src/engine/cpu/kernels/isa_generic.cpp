// Processors without a table of their own run the plain loops as the compiler translates them.

#include "engine/cpu/kernels/isa.hpp"

namespace nomu::engine::cpu {

namespace baseline {
extern const Kernels table;
}

std::vector<const Kernels*> usable_tables() { return {&baseline::table}; }

}  // namespace nomu::engine::cpu
