#pragma once
// What a block of the update does around its tile, whatever computes the gradient.

#include "engine/cuda/tiles/gradient.cuh"

namespace nomu::engine::cuda {

inline constexpr unsigned fetch_ahead = 32;   // blocks
inline constexpr unsigned fetch_from = 4096;  // blocks in all: fewer all start at about the same time

/// Prefetches the parameters of a whole tile of a member.
__device__ inline void fetch_parameters(const Place& at) {
  constexpr unsigned line = 32;  // floats
  constexpr unsigned lines = update_tile.rows / line;
  static_assert(UpdateCut::threads == update_tile.units * lines);
  if (!at.whole()) return;
  const std::size_t place = at.job.weights + std::size_t{at.tile.m + threadIdx.x / lines} * at.job.units + at.tile.n +
                            threadIdx.x % lines * line;
  fetch_line(at.view.weights_of(at.control.source, at.member) + place);
  fetch_line(at.view.first + at.moments() + place);
  fetch_line(at.view.second + at.moments() + place);
}

/// The same for the tile of another block. Long gradients fetch their own in time: what was fetched this early would be
/// evicted.
__device__ inline void fetch_for(const View& view, unsigned tiles, unsigned block) {
  if (block >= gridDim.x) return;
  const unsigned member = block / tiles;
  const unsigned index = view.update_order[block % tiles];
  const Tile tile = view.tiles[index];
  const Place at{view, view.update[tile.job], tile, view.control[member], member, index};
  if (!at.transposed()) fetch_parameters(at);
}

/// Calls f(place) for the block's tile if its member is updated.
template <class F>
__device__ void update_block(const View& view, unsigned tiles, const F& f) {
  const unsigned member = blockIdx.x / tiles;
  const unsigned index = view.update_order[blockIdx.x % tiles];
  const Control control = view.control[member];
  if (gridDim.x >= fetch_from) fetch_for(view, tiles, blockIdx.x + fetch_ahead);
  if (control.update == 0) return;
  const Tile tile = view.tiles[index];
  f(Place{view, view.update[tile.job], tile, control, member, index});
}

}  // namespace nomu::engine::cuda
