#include "engine/cpu/convolve.hpp"

#include <algorithm>

namespace nomu::engine::cpu {
namespace {

/// Calls f(place in the patches, line, column, pixels) for every run of pixels that lies in one line of a window;
/// padding is left out.
template <class F>
void each_run(const Convolution& c, const F& f) {
  for (std::size_t p = 0; p < c.map.pixels(); ++p) {
    const std::size_t top = p / c.map.width * c.stride;  // in the padded source
    const std::size_t left = p % c.map.width * c.stride;
    const std::size_t begin = std::max(left, c.padding);
    const std::size_t end = std::min(left + c.kernel, c.in.width + c.padding);
    for (std::size_t i = 0; i < c.kernel; ++i) {
      if (top + i < c.padding || top + i >= c.in.height + c.padding) continue;
      f(p * c.patch() + (i * c.kernel + begin - left) * c.in.channels, top + i - c.padding, begin - c.padding,
        end - begin);
    }
  }
}

/// Whether the channels of a pixel are stored next to each other.
bool side_by_side(const Convolution& c) { return !c.planar || c.in.channels == 1; }

/// Calls f(place in the map, place in the pooled map, whether it is the first of its pool) for every pixel; both places
/// are those of the first filter.
template <class F>
void each_pixel(const Convolution& c, const F& f) {
  for (std::size_t line = 0; line < c.out.height; ++line) {
    for (std::size_t column = 0; column < c.out.width; ++column) {
      const std::size_t out = (line * c.out.width + column) * c.out.channels;
      for (std::size_t i = 0; i < c.pool_height(); ++i) {
        for (std::size_t j = 0; j < c.pool_width(); ++j) {
          const std::size_t y = line * c.pool_height() + i;
          f(((y * c.map.width) + column * c.pool_width() + j) * c.map.channels, out, i + j == 0);
        }
      }
    }
  }
}

bool pools(const Convolution& c) { return c.map.pixels() != c.out.pixels(); }

float pooled_share(const Convolution& c) { return 1.0F / static_cast<float>(c.pool_height() * c.pool_width()); }

}  // namespace

void gather_patches(const Convolution& c, const float* source, float* patches) {
  if (c.padding > 0) std::fill_n(patches, c.map.pixels() * c.patch(), 0.0F);
  each_run(c, [&](std::size_t to, std::size_t line, std::size_t column, std::size_t pixels) {
    if (side_by_side(c)) {
      const float* from = source + c.at(line, column, 0);
      for (std::size_t e = 0; e < pixels * c.in.channels; ++e) patches[to + e] = from[e];
      return;
    }
    for (std::size_t e = 0; e < pixels * c.in.channels; ++e)
      patches[to + e] = source[c.at(line, column + e / c.in.channels, e % c.in.channels)];
  });
}

void scatter_patches(const Convolution& c, const float* by_patches, float* by_source) {
  // Only called for the output of another convolution, whose channels are next to each other.
  std::fill_n(by_source, c.in.size(), 0.0F);
  each_run(c, [&](std::size_t from, std::size_t line, std::size_t column, std::size_t pixels) {
    float* to = by_source + c.at(line, column, 0);
    for (std::size_t e = 0; e < pixels * c.in.channels; ++e) to[e] += by_patches[from + e];
  });
}

void pool(const Convolution& c, const float* map, float* out) {
  const std::size_t filters = c.map.channels;
  if (!pools(c)) {
    std::copy_n(map, c.map.size(), out);
    return;
  }
  each_pixel(c, [&](std::size_t from, std::size_t to, bool first) {
    const float* pixel = map + from;
    float* sum = out + to;
    if (first) {
      for (std::size_t k = 0; k < filters; ++k) sum[k] = pixel[k];
    } else if (c.pooling == Pooling::max) {
      for (std::size_t k = 0; k < filters; ++k) sum[k] = pixel[k] > sum[k] ? pixel[k] : sum[k];
    } else {
      for (std::size_t k = 0; k < filters; ++k) sum[k] += pixel[k];
    }
  });
  if (c.pooling == Pooling::max) return;
  const float share = pooled_share(c);
  for (std::size_t e = 0; e < c.out.size(); ++e) out[e] *= share;
}

void unpool(const Convolution& c, const float* map, const float* by_out, float* by_map) {
  const std::size_t filters = c.map.channels;
  if (!pools(c)) {
    std::copy_n(by_out, c.map.size(), by_map);
    return;
  }
  if (c.pooling == Pooling::average) {
    const float share = pooled_share(c);
    each_pixel(c, [&](std::size_t to, std::size_t from, bool /*first*/) {
      for (std::size_t k = 0; k < filters; ++k) by_map[to + k] = share * by_out[from + k];
    });
    return;
  }
  std::fill_n(by_map, c.map.size(), 0.0F);
  const std::size_t line = c.map.width * filters;
  for (std::size_t out = 0; out < c.out.size(); ++out) {
    const std::size_t pixel = out / filters;
    const std::size_t corner =
        pixel / c.out.width * c.pool_height() * line + pixel % c.out.width * c.pool_width() * filters + out % filters;
    std::size_t best = corner;
    for (std::size_t i = 0; i < c.pool_height(); ++i) {
      for (std::size_t j = 0; j < c.pool_width(); ++j) {
        const std::size_t here = corner + i * line + j * filters;
        if (map[here] > map[best]) best = here;
      }
    }
    by_map[best] = by_out[out];
  }
}

void convolve(const Layer& layer, const Kernels& kernels, Multiply multiply, const float* parameters,
              const float* source, float* patches, float* map, float* out) {
  const Convolution& shape = *layer.convolution;
  const std::size_t filters = layer.columns();
  const std::size_t pixels = shape.map.pixels();
  gather_patches(shape, source, patches);
  multiply(Transpose::no, Transpose::no, pixels, filters, shape.patch(), patches, shape.patch(),
           parameters + layer.weights, filters, false, map, filters);
  kernels.bias_activate(layer.activation, map, filters, pixels, filters, parameters + layer.bias);
  pool(shape, map, out);
}

std::size_t convolution_scratch(const Layout& layout) {
  std::size_t most = 0;
  for (const Layer& layer : layout.layers) {
    if (!layer.convolution) continue;
    const Convolution& c = *layer.convolution;
    most = std::max(most, 2 * c.map.pixels() * c.patch() + c.map.size() + c.map.channels);
  }
  return most;
}

}  // namespace nomu::engine::cpu
