// Which kernels an x86-64 processor can run.

#include "engine/cpu/kernels/isa.hpp"

namespace nomu::engine::cpu {

namespace baseline {
extern const Kernels table;
}
namespace avx2 {
extern const Kernels table;
}
namespace avx512 {
extern const Kernels table;
}

std::vector<const Kernels*> usable_tables() {
  std::vector<const Kernels*> tables;
  const bool has_avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  const bool has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f") != 0 &&
                          __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
                          __builtin_cpu_supports("avx512bw") != 0;
  if (has_avx512) tables.push_back(&avx512::table);
  if (has_avx2) tables.push_back(&avx2::table);
  tables.push_back(&baseline::table);
  return tables;
}

}  // namespace nomu::engine::cpu
