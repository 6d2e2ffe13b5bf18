// Adam fused with the weight gradient, and the sums of squares that the penalty needs.

#include "engine/cuda/hopper/layers.hpp"
#include "engine/cuda/kernels/launch.cuh"
#include "engine/cuda/tiles/gradient.cuh"
#include "engine/cuda/tiles/update.cuh"

namespace nomu::engine::cuda {
namespace {

template <bool exact>
__global__ void __launch_bounds__(UpdateCut::threads, 2) update_kernel(const View view, unsigned tiles) {
  update_block(view, tiles, [](const Place& at) { work_on<Work::update, exact>(at); });
}

__global__ void __launch_bounds__(UpdateCut::threads) squares_kernel(const View view) {
  const unsigned member = blockIdx.x / view.update_tiles;
  const unsigned index = blockIdx.x % view.update_tiles;
  Control control{};
  control.source = view.state[member].current;
  const Tile tile = view.tiles[index];
  work_on<Work::squares, false>({view, view.update[tile.job], tile, control, member, index});
}

}  // namespace

void prepare_update() {
  allow_shared(update_kernel<true>, GradientTile<true>::shared_bytes);
  allow_shared(update_kernel<false>, GradientTile<false>::shared_bytes);
}

void start_update(const View& view, std::uint32_t tiles, bool transposed, Precision precision, cudaStream_t stream) {
  // Only if needed: the larger shared memory of that kernel is taken from the cache.
  if (transposed) return hopper::start_update(view, tiles, stream);
  const auto kernel = precision == Precision::fp32 ? update_kernel<true> : update_kernel<false>;
  launch(kernel, std::size_t{view.members} * tiles, UpdateCut::threads, GradientTile<true>::shared_bytes, stream, view,
         tiles);
}

void start_squares(const View& view, cudaStream_t stream) {
  launch(squares_kernel, std::size_t{view.members} * view.update_tiles, UpdateCut::threads, 0, stream, view);
}

}  // namespace nomu::engine::cuda
