#include "nomu/models/fitted.hpp"

#include <fmt/format.h>

#include <cmath>

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

std::size_t FittedState::count(std::string_view name) const {
  constexpr float most = 1e12F;  // more than any memory holds
  const float value = find(name, 1)(0, 0, 0);
  if (!(value >= 1.0F && value <= most) || value != std::floor(value)) {
    throw DataError("models/fitted", fmt::format("block '{}' holds {}, which counts nothing", name, value));
  }
  return static_cast<std::size_t>(value);
}

}  // namespace nomu
