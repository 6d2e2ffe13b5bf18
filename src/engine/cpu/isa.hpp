#pragma once
// What depends on the processor family, one source file each: the kernel tables of this build that this processor can
// run, and how its arithmetic treats subnormal numbers.

#include <vector>

#include "engine/cpu/kernels.hpp"

namespace nomu::engine::cpu {

/// Best first; never empty.
[[nodiscard]] std::vector<const Kernels*> usable_tables();

/// As long as it lives, this thread takes subnormal numbers for zero. Adam's second moment of a weight that an L2
/// penalty has worn away is one, and each costs more than a hundred cycles. Without effect where that is not needed.
class FlushSubnormals {
 public:
  FlushSubnormals();
  FlushSubnormals(const FlushSubnormals&) = delete;
  FlushSubnormals& operator=(const FlushSubnormals&) = delete;
  FlushSubnormals(FlushSubnormals&&) = delete;
  FlushSubnormals& operator=(FlushSubnormals&&) = delete;
  ~FlushSubnormals();

 private:
  unsigned before_ = 0;
};

}  // namespace nomu::engine::cpu
