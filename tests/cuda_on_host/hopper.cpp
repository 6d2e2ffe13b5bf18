// The instructions of compute capability 9.0 are not tried on the host: its stand-in says it is older.

#include <stdexcept>

#include "engine/cuda/hopper/layers.hpp"

namespace nomu::engine::cuda::hopper {

TileShape tile_shape(TileSize) { throw std::logic_error("not on the host"); }
std::span<const TileSize> tile_sizes() { throw std::logic_error("not on the host"); }
void prepare_layers() { throw std::logic_error("not on the host"); }
void start_forward(const View&, const TileList&, cudaStream_t) { throw std::logic_error("not on the host"); }
void start_backward(const View&, const TileList&, cudaStream_t) { throw std::logic_error("not on the host"); }
void prepare_update() { throw std::logic_error("not on the host"); }
void start_update(const View&, std::uint32_t, cudaStream_t) { throw std::logic_error("not on the host"); }

}  // namespace nomu::engine::cuda::hopper
