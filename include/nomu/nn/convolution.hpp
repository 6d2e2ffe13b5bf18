#pragma once
/// Convolutions and pooling before the hidden layers of a network whose rows are images, as plain data.

#include <cstdint>
#include <vector>

#include "nomu/core/fields.hpp"

namespace nomu {

/// How a square of activations is reduced to one value.
enum class Pooling { max, average };

/// Convolutions before the hidden layers, for rows that are images. `filters` has one entry per convolution; the lists
/// below it have one entry per convolution or a single one for all.
struct ConvolutionSpec {
  std::vector<std::int64_t> image;       ///< channels, height, width; a row's columns are in that order, width fastest
  std::vector<std::int64_t> filters;     ///< empty: rows go straight into the hidden layers
  std::vector<std::int64_t> kernel{3};   ///< side of the square each filter covers
  std::vector<std::int64_t> stride{1};   ///< pixels from one square to the next
  std::vector<std::int64_t> padding{0};  ///< zeros added on each side of the image
  std::vector<std::int64_t> pool{1};     ///< side of the pooled squares; 1: no pooling, 0: the whole map
  Pooling pooling = Pooling::max;
};

/// The settings of `spec`, bound for reading and writing by name.
[[nodiscard]] Fields fields_of(ConvolutionSpec& spec);

}  // namespace nomu
