#pragma once
// How this thread's arithmetic treats subnormal numbers; one source file per processor family.

namespace nomu {

/// While it lives, this thread takes subnormal numbers for zero. Adam's second moment of a weight that an L2 penalty
/// has worn away is one, and each costs more than a hundred cycles. Has no effect where that is not needed.
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

}  // namespace nomu
