#include "engine/cpu/kernels/kernels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/cpu/kernels/isa.hpp"
#include "nomu/core/error.hpp"

namespace nomu::engine::cpu {

std::vector<std::string_view> usable_isas() {
  std::vector<std::string_view> names;
  for (const Kernels* table : usable_tables()) names.emplace_back(table->isa);
  return names;
}

const Kernels& kernels_for(std::string_view isa) {
  const std::vector<const Kernels*> tables = usable_tables();
  if (isa == "auto") return *tables.front();
  for (const Kernels* table : tables) {
    if (isa == table->isa) return *table;
  }
  throw ConfigError("engine/cpu", fmt::format("no instruction set '{}' on this processor; there are {}", isa,
                                              fmt::join(usable_isas(), ", ")));
}

}  // namespace nomu::engine::cpu
