#include "nomu/models/fitted.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "nomu/core/error.hpp"

namespace nomu {

bool FittedState::has(std::string_view name) const {
  return std::ranges::any_of(blocks, [&](const Block& block) { return block.name == name; });
}

std::size_t FittedState::cols_of(std::string_view name) const {
  const auto found = std::ranges::find_if(blocks, [&](const Block& block) { return block.name == name; });
  return found == blocks.end() ? 0 : found->values.cols();
}

const Tensor<float>& FittedState::block(std::string_view name, const BlockShape& shape) const {
  const auto found = std::ranges::find_if(blocks, [&](const Block& block) { return block.name == name; });
  if (found == blocks.end()) throw DataError("models/fitted", fmt::format("there is no block '{}'", name));
  const Tensor<float>& values = found->values;
  if (values.members() != shape.members || values.rows() != shape.rows || values.cols() != shape.cols) {
    throw DataError("models/fitted",
                    fmt::format("block '{}' has shape [{}][{}][{}], expected [{}][{}][{}]", name, values.members(),
                                values.rows(), values.cols(), shape.members, shape.rows, shape.cols));
  }
  return values;
}

}  // namespace nomu
