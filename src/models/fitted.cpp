#include "nomu/models/fitted.hpp"

#include <fmt/format.h>

#include "nomu/core/error.hpp"

namespace nomu {

const Tensor<float>& FittedState::find(std::string_view name, std::size_t size) const {
  for (const Block& block : blocks) {
    if (block.name != name) continue;
    if (size != 0 && block.values.size() != size) {
      throw DataError("models/fitted",
                      fmt::format("block '{}' has {} numbers where {} belong", name, block.values.size(), size));
    }
    return block.values;
  }
  throw DataError("models/fitted", fmt::format("there is no block '{}'", name));
}

}  // namespace nomu
