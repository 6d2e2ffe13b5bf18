#pragma once
// How this thread's arithmetic treats subnormal numbers; one source file per processor family.

namespace nomu {

/// While it exists, this thread treats subnormal numbers as zero. Adam's second moments become subnormal for weights
/// that an L2 penalty has worn away, and each one costs more than a hundred cycles. Does nothing on processors that
/// handle them at full speed.
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
