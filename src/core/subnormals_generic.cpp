// Processors on which subnormal numbers cost nothing extra.

#include "core/subnormals.hpp"

namespace nomu {

FlushSubnormals::FlushSubnormals() = default;
FlushSubnormals::~FlushSubnormals() = default;

}  // namespace nomu
