#include "nomu/core/error.hpp"

#include <fmt/format.h>

namespace nomu {

Error::Error(std::string_view where, std::string_view message)
    : std::runtime_error(fmt::format("[{}] {}", where, message)) {}

}  // namespace nomu
