#pragma once
// Products of the hidden layers and their gradients for compute capability 9.0, where whole groups of warps multiply
// straight from shared memory.

#include <cuda_runtime.h>

#include "engine/cuda/kernels/kernels.hpp"

namespace nomu::engine::cuda::hopper {

[[nodiscard]] TileShape tile_shape(TileSize size);
[[nodiscard]] std::span<const TileSize> tile_sizes();
void prepare_layers();
void start_forward(const View& view, const TileList& tiles, cudaStream_t stream);
void start_backward(const View& view, const TileList& tiles, cudaStream_t stream);

void prepare_update();
void start_update(const View& view, std::uint32_t tiles, cudaStream_t stream);

}  // namespace nomu::engine::cuda::hopper
