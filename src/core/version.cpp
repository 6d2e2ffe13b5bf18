#include "nomu/core/version.hpp"

namespace nomu {

std::string_view version() { return NOMU_VERSION; }

}  // namespace nomu
