#pragma once
// The geometry of convolutions: the shape that each makes of an image, and which pixels a window covers. The engines
// do the arithmetic.

#include <cstddef>
#include <vector>

#include "nomu/nn/convolution.hpp"

namespace nomu::engine {

struct ImageShape {
  std::size_t channels = 0, height = 0, width = 0;
  [[nodiscard]] std::size_t pixels() const { return height * width; }
  [[nodiscard]] std::size_t size() const { return channels * height * width; }
};

/// One convolution of a plan.
struct Window {
  std::size_t filters = 1;
  std::size_t kernel = 3;
  std::size_t stride = 1;
  std::size_t padding = 0;
  std::size_t pool = 1;  ///< 0: the whole map
};

/// The convolutions before a net's hidden layers; no windows: none.
struct Front {
  ImageShape image;  ///< of the rows of x, [channels][height][width]
  std::vector<Window> windows;
  Pooling pooling = Pooling::max;
  std::size_t extra_columns = 0;  ///< columns of x after the image, which are not part of it
};

/// One convolution with the shapes around it: windows of the padded source times weights [patch][filters], plus a bias
/// for each filter, activated, pooled. Its values are stored pixel by pixel, [height][width][filters], so that to the
/// weights one row looks like `pixels` rows of a dense layer.
struct Convolution {
  ImageShape in;   ///< the source
  ImageShape map;  ///< after the convolution; channels are filters
  ImageShape out;  ///< after pooling
  std::size_t kernel = 1;
  std::size_t stride = 1;
  std::size_t padding = 0;
  Pooling pooling = Pooling::max;
  bool planar = false;  ///< the source is stored channel by channel, as rows of x are

  /// Values in one window; weight row (i * kernel + j) * channels + c belongs to its line i, column j, channel c.
  [[nodiscard]] std::size_t patch() const { return kernel * kernel * in.channels; }
  [[nodiscard]] std::size_t pool_height() const { return map.height / out.height; }
  [[nodiscard]] std::size_t pool_width() const { return map.width / out.width; }
  /// Where a value of the source is stored in its row.
  [[nodiscard]] std::size_t at(std::size_t line, std::size_t column, std::size_t channel) const {
    return planar ? (channel * in.height + line) * in.width + column
                  : (line * in.width + column) * in.channels + channel;
  }
};

/// The convolutions of net `net`, first to last; throws a ConfigError that names the one whose shapes are impossible.
[[nodiscard]] std::vector<Convolution> convolutions_of(const Front& front, std::size_t net);

}  // namespace nomu::engine
