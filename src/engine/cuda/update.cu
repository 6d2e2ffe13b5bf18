// Adam fused with the weight gradient, and the sums of squares that the penalty needs.

#include "engine/cuda/gradient.cuh"
#include "engine/cuda/launch.cuh"

namespace nomu::engine::cuda {
namespace {

constexpr unsigned fetch_ahead = 32;  // blocks

/// Has the parameters of a tile that another block soon works on brought closer, where the tile is whole.
__device__ void fetch_tile(const View& view, unsigned tiles, unsigned block) {
  if (block >= gridDim.x) return;
  const unsigned member = block / tiles;
  const Tile tile = view.tiles[block % tiles];
  const UpdateJob& job = view.update[tile.job];
  constexpr unsigned line = 32;  // floats
  constexpr unsigned lines = update_tile.rows / line;
  static_assert(UpdateCut::threads == update_tile.units * lines);
  if (!job.wide || tile.m + update_tile.units > job.inputs || tile.n + update_tile.rows > job.units) return;
  const std::size_t place =
      job.weights + std::size_t{tile.m + threadIdx.x / lines} * job.units + tile.n + threadIdx.x % lines * line;
  const std::size_t moments = member * view.parameters + place;
  fetch_line(view.weights_of(view.control[member].source, member) + place);
  fetch_line(view.first + moments);
  fetch_line(view.second + moments);
}

template <bool exact>
__global__ void __launch_bounds__(UpdateCut::threads, 2) update_kernel(const View view, unsigned tiles) {
  const unsigned member = blockIdx.x / tiles;
  const unsigned index = blockIdx.x % tiles;
  const Control control = view.control[member];
  fetch_tile(view, tiles, blockIdx.x + fetch_ahead);
  if (control.update == 0) return;
  const Tile tile = view.tiles[index];
  work_on<Work::update, exact>({view, view.update[tile.job], tile, control, member, index});
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

void start_update(const View& view, std::uint32_t tiles, Precision precision, cudaStream_t stream) {
  const auto kernel = precision == Precision::fp32 ? update_kernel<true> : update_kernel<false>;
  launch(kernel, std::size_t{view.members} * tiles, UpdateCut::threads, GradientTile<true>::shared_bytes, stream, view,
         tiles);
}

void start_squares(const View& view, cudaStream_t stream) {
  launch(squares_kernel, std::size_t{view.members} * view.update_tiles, UpdateCut::threads, 0, stream, view);
}

}  // namespace nomu::engine::cuda
