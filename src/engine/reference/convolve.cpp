#include "engine/reference/convolve.hpp"

#include <algorithm>

namespace nomu::engine::reference {
namespace {

/// Calls f(weight row, place in the source) for every value in the window of map pixel (line, column) that is not
/// padding.
template <class F>
void under_square(const Convolution& shape, std::size_t line, std::size_t column, const F& f) {
  for (std::size_t i = 0; i < shape.kernel; ++i) {
    for (std::size_t j = 0; j < shape.kernel; ++j) {
      const std::size_t y = line * shape.stride + i;  // in the padded source
      const std::size_t x = column * shape.stride + j;
      if (y < shape.padding || y - shape.padding >= shape.in.height) continue;
      if (x < shape.padding || x - shape.padding >= shape.in.width) continue;
      for (std::size_t c = 0; c < shape.in.channels; ++c) {
        f((i * shape.kernel + j) * shape.in.channels + c, shape.at(y - shape.padding, x - shape.padding, c));
      }
    }
  }
}

/// Calls f(places in the map, place in the pooled map) for every pooled value.
template <class F>
void pooled_squares(const Convolution& shape, const F& f) {
  std::vector<std::size_t> square;
  for (std::size_t line = 0; line < shape.out.height; ++line) {
    for (std::size_t column = 0; column < shape.out.width; ++column) {
      for (std::size_t filter = 0; filter < shape.out.channels; ++filter) {
        square.clear();
        for (std::size_t i = 0; i < shape.pool_height(); ++i) {
          for (std::size_t j = 0; j < shape.pool_width(); ++j) {
            const std::size_t y = line * shape.pool_height() + i;
            const std::size_t x = column * shape.pool_width() + j;
            square.push_back((y * shape.map.width + x) * shape.map.channels + filter);
          }
        }
        f(square, (line * shape.out.width + column) * shape.out.channels + filter);
      }
    }
  }
}

/// The first of the largest values.
std::size_t largest(const std::vector<double>& map, const std::vector<std::size_t>& square) {
  return *std::max_element(square.begin(), square.end(), [&](std::size_t a, std::size_t b) { return map[a] < map[b]; });
}

}  // namespace

std::vector<double> convolved(const Filters& filters, const double* source) {
  const Convolution& shape = filters.shape;
  const std::size_t count = shape.map.channels;
  std::vector<double> map(shape.map.size());
  for (std::size_t p = 0; p < shape.map.pixels(); ++p) {
    for (std::size_t k = 0; k < count; ++k) {
      double z = filters.bias[k];
      under_square(shape, p / shape.map.width, p % shape.map.width,
                   [&](std::size_t row, std::size_t place) { z += source[place] * filters.weights[row * count + k]; });
      map[p * count + k] = activate(filters.activation, z);
    }
  }
  return map;
}

void pool(const Convolution& shape, const std::vector<double>& map, double* out) {
  pooled_squares(shape, [&](const std::vector<std::size_t>& square, std::size_t place) {
    if (shape.pooling == Pooling::max) {
      out[place] = map[largest(map, square)];
      return;
    }
    double sum = 0.0;
    for (const std::size_t e : square) sum += map[e];
    out[place] = sum / static_cast<double>(square.size());
  });
}

void backward(const Filters& filters, const double* source, const double* by_pooled, double* by_weights,
              double* by_bias, double* by_source) {
  const Convolution& shape = filters.shape;
  const std::size_t count = shape.map.channels;
  const std::vector<double> map = convolved(filters, source);
  std::vector<double> delta(map.size(), 0.0);
  pooled_squares(shape, [&](const std::vector<std::size_t>& square, std::size_t place) {
    if (shape.pooling == Pooling::max) {
      delta[largest(map, square)] = by_pooled[place];
      return;
    }
    for (const std::size_t e : square) delta[e] = by_pooled[place] / static_cast<double>(square.size());
  });
  for (std::size_t p = 0; p < shape.map.pixels(); ++p) {
    for (std::size_t k = 0; k < count; ++k) {
      const double d = delta[p * count + k] * activation_slope(filters.activation, map[p * count + k]);
      by_bias[k] += d;
      under_square(shape, p / shape.map.width, p % shape.map.width, [&](std::size_t row, std::size_t place) {
        by_weights[row * count + k] += source[place] * d;
        if (by_source != nullptr) by_source[place] += filters.weights[row * count + k] * d;
      });
    }
  }
}

}  // namespace nomu::engine::reference
