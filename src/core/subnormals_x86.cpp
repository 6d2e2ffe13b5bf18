// Sets the control word of x86-64 processors.

#include <xmmintrin.h>

#include "core/subnormals.hpp"

namespace nomu {

FlushSubnormals::FlushSubnormals() : before_(_mm_getcsr()) {
  constexpr unsigned results_to_zero = 0x8000;
  constexpr unsigned operands_to_zero = 0x0040;
  _mm_setcsr(before_ | results_to_zero | operands_to_zero);
}
FlushSubnormals::~FlushSubnormals() { _mm_setcsr(before_); }

}  // namespace nomu
