#include "nomu/core/tensor.hpp"

#include <fmt/format.h>

#include <limits>

#include "nomu/core/error.hpp"

namespace nomu {

std::size_t tensor_size(std::size_t members, std::size_t rows, std::size_t cols) {
  // A quarter of the address space leaves room for the byte count of any element type in use.
  constexpr std::size_t limit = std::numeric_limits<std::size_t>::max() / 32;
  std::size_t total = members;
  for (std::size_t extent : {rows, cols}) {
    if (extent != 0 && total > limit / extent) {
      throw ConfigError("core/tensor",
                        fmt::format("a block of {} x {} x {} numbers does not fit into memory; use smaller sizes",
                                    members, rows, cols));
    }
    total *= extent;
  }
  return total;
}

}  // namespace nomu
