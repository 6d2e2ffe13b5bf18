#include "engine/convolution.hpp"

#include <fmt/format.h>

#include "nomu/core/error.hpp"

namespace nomu::engine {
namespace {

constexpr std::size_t largest = std::size_t{1} << 24U;  // limit of every number in a shape, and of the size of a map

/// Says which convolution of which net is wrong, what it was given, and what is wrong with it.
[[noreturn]] void refuse(std::size_t net, std::size_t index, const ImageShape& in, const std::string& what) {
  throw ConfigError("engine/convolution", fmt::format("convolution {} of net {}, which reads {} x {} x {} (channels, "
                                                      "height, width): {}",
                                                      index + 1, net, in.channels, in.height, in.width, what));
}

bool sensible(std::size_t number) { return number >= 1 && number <= largest; }

Convolution convolution_of(const Front& front, std::size_t net, std::size_t index, const ImageShape& in) {
  const Window& w = front.windows[index];
  if (!sensible(w.filters) || !sensible(w.kernel) || !sensible(w.stride) || w.padding > largest || w.pool > largest)
    refuse(net, index, in,
           fmt::format("filters, kernel and stride must be 1 to {}, padding and pool 0 to that", largest));
  if (w.padding >= w.kernel)
    refuse(net, index, in,
           fmt::format("a padding of {} would leave whole windows of a kernel of {} on zeros; use less", w.padding,
                       w.kernel));
  const std::size_t height = in.height + 2 * w.padding;
  const std::size_t width = in.width + 2 * w.padding;
  if (w.kernel > height || w.kernel > width)
    refuse(net, index, in,
           fmt::format("a kernel of {} is larger than the image, which is {} x {} with its padding; use "
                       "a smaller kernel, more padding or less pooling before it",
                       w.kernel, height, width));
  const ImageShape map{w.filters, (height - w.kernel) / w.stride + 1, (width - w.kernel) / w.stride + 1};
  const std::size_t pool_height = w.pool == 0 ? map.height : w.pool;
  const std::size_t pool_width = w.pool == 0 ? map.width : w.pool;
  if (map.height % pool_height != 0 || map.width % pool_width != 0)
    refuse(net, index, in,
           fmt::format("a pool of {} does not divide its map of {} x {}; choose one that does, or 0 for "
                       "the whole map",
                       w.pool, map.height, map.width));
  if (map.pixels() > largest / map.channels || w.kernel * w.kernel > largest / in.channels)
    refuse(net, index, in, fmt::format("its map of {} x {} x {} is too large", map.channels, map.height, map.width));
  return {.in = in,
          .map = map,
          .out = {w.filters, map.height / pool_height, map.width / pool_width},
          .kernel = w.kernel,
          .stride = w.stride,
          .padding = w.padding,
          .pooling = front.pooling,
          .planar = index == 0};
}

}  // namespace

std::vector<Convolution> convolutions_of(const Front& front, std::size_t net) {
  std::vector<Convolution> all;
  if (front.windows.empty()) return all;
  ImageShape in = front.image;
  if (!sensible(in.channels) || !sensible(in.height) || !sensible(in.width) || in.pixels() > largest / in.channels) {
    throw ConfigError("engine/convolution",
                      fmt::format("the image of net {} must have 1 to {} values in all, got {} channels of {} x {}",
                                  net, largest, in.channels, in.height, in.width));
  }
  for (std::size_t i = 0; i < front.windows.size(); ++i) {
    all.push_back(convolution_of(front, net, i, in));
    in = all.back().out;
  }
  return all;
}

}  // namespace nomu::engine
