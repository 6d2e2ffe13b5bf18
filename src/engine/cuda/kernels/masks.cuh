#pragma once
// Which units of a row dropout keeps: the same numbers as engine/sampling.hpp draws on the host.

#include <cuda_runtime.h>

#include "engine/cuda/kernels/tables.hpp"
#include "engine/sampling.hpp"

namespace nomu::engine::cuda {

__device__ inline DropoutMask mask_of(const Control& control, std::uint64_t seed, unsigned layer, float rate) {
  return control.masks == Masks::training ? training_mask(seed, layer, control.step, rate)
                                          : prediction_mask(seed, layer, control.step, rate);
}

/// Which of four units are kept; their masks are numbered from `place` on.
__device__ inline void kept_units(const DropoutMask& mask, std::uint64_t place, bool (&kept)[4]) {
  PhiloxBlock block = mask.stream.block(place / 4);
  for (unsigned e = 0; e < 4; ++e) {
    if (e > 0 && (place + e) % 4 == 0) block = mask.stream.block((place + e) / 4);
    kept[e] = uniform_float(block.word[(place + e) % 4]) >= mask.rate;
  }
}

}  // namespace nomu::engine::cuda
