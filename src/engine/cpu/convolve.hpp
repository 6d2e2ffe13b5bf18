#pragma once
// The parts of a convolution that are not matrix products: patches, pooling, and their backward passes. They work on
// one row at a time, so that a row's value depends on no other, in training as in prediction.

#include <cstddef>

#include "engine/convolution.hpp"
#include "engine/cpu/kernels/kernels.hpp"
#include "engine/layout.hpp"

namespace nomu::engine::cpu {

/// The window of every map pixel, [pixels][patch], with zeros for the padding.
void gather_patches(const Convolution& shape, const float* source, float* patches);

/// Backward: sets `by_source` to the sums of the patches' derivatives for each value of the source.
void scatter_patches(const Convolution& shape, const float* by_patches, float* by_source);

/// Pools [map] to [out].
void pool(const Convolution& shape, const float* map, float* out);

/// Backward: each derivative of `by_out` goes to the value of [map] it came from; of equal maxima, to the first.
void unpool(const Convolution& shape, const float* map, const float* by_out, float* by_map);

/// One row forward: `patches` is scratch [pixels][patch], `map` receives the activated map, `out` the pooled one.
void convolve(const Layer& layer, const Kernels& kernels, Multiply multiply, const float* parameters,
              const float* source, float* patches, float* map, float* out);

/// Floats of scratch that a worker needs for the convolutions of a layout: see ConvolutionScratch.
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
