#pragma once
// The parts of a convolution that are no matrix product, one row at a time: patches, pooling, and the way back. One row
// at a time, because then a row's value depends on no other, in training as in prediction.

#include <cstddef>

#include "engine/convolution.hpp"
#include "engine/cpu/kernels/kernels.hpp"
#include "engine/layout.hpp"

namespace nomu::engine::cpu {

/// What lies under the square of every map pixel, [pixels][patch], zeros for the padding.
void gather_patches(const Convolution& shape, const float* source, float* patches);

/// The way back: what the patches say about each number of the source, added up into `by_source` from zero.
void scatter_patches(const Convolution& shape, const float* by_patches, float* by_source);

/// [map] to [out].
void pool(const Convolution& shape, const float* map, float* out);

/// The way back: `by_out` where it came from, [map]. The first of several largest values takes it all.
void unpool(const Convolution& shape, const float* map, const float* by_out, float* by_map);

/// One row forward: `patches` is scratch [pixels][patch], `map` receives the activated map, `out` the pooled one.
void convolve(const Layer& layer, const Kernels& kernels, Multiply multiply, const float* parameters,
              const float* source, float* patches, float* map, float* out);

/// Floats of scratch a worker needs for the convolutions of a layout: see ConvolutionScratch.
[[nodiscard]] std::size_t convolution_scratch(const Layout& layout);

/// Parts of a worker's scratch, cut for one layer.
struct ConvolutionScratch {
  float* patches;     ///< [pixels][patch]
  float* by_patches;  ///< [pixels][patch]
  float* by_map;      ///< [pixels][filters]
  float* by_bias;     ///< [filters]

  ConvolutionScratch(const Convolution& shape, float* memory)
      : patches(memory),
        by_patches(patches + shape.map.pixels() * shape.patch()),
        by_map(by_patches + shape.map.pixels() * shape.patch()),
        by_bias(by_map + shape.map.size()) {}
};

}  // namespace nomu::engine::cpu
