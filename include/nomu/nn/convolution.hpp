#pragma once
/// What a network does to rows that are images before its hidden layers: convolutions and pooling, as plain data.

#include <cstdint>
#include <vector>

#include "nomu/core/fields.hpp"

namespace nomu {

/// How a square of activated values becomes one.
enum class Pooling { max, average };

/// Convolutions before the hidden layers, for rows that are images. `filters` has one number for each of them; the
/// lists below it have one for each or one for all.
struct ConvolutionSpec {
  std::vector<std::int64_t> image;       ///< channels, height, width of a row, whose columns stand in that order
  std::vector<std::int64_t> filters;     ///< none: rows go straight into the hidden layers
  std::vector<std::int64_t> kernel{3};   ///< side of the square each filter looks at
  std::vector<std::int64_t> stride{1};   ///< pixels from one square to the next
  std::vector<std::int64_t> padding{0};  ///< zeros around the image on each side
  std::vector<std::int64_t> pool{1};     ///< side of the squares that are pooled; 1: none, 0: the whole map
  Pooling pooling = Pooling::max;
};

/// The settings of `spec`, bound for reading and writing by name.
[[nodiscard]] Fields fields_of(ConvolutionSpec& spec);

}  // namespace nomu
