// Forward and backward products of the hidden layers, all layers of a phase and all members in one launch.

#include <stdexcept>
#include <type_traits>

#include "engine/cuda/hopper/layers.hpp"
#include "engine/cuda/kernels/kernels.hpp"
#include "engine/cuda/kernels/launch.cuh"
#include "engine/cuda/tiles/layers.cuh"

namespace nomu::engine::cuda {
namespace {

using LargeCut = Cut<128, 144, 4, 2, 4>;
using SmallCut = Cut<32, 48, 2, 2, 6>;
using NarrowCut = Cut<128, 16, 4, 1, 6>;

template <TileSize size>
using CutOf = std::conditional_t<size == TileSize::large, LargeCut,
                                 std::conditional_t<size == TileSize::small, SmallCut, NarrowCut>>;

template <TileSize size, bool exact>
__global__ void __launch_bounds__(CutOf<size>::threads, size == TileSize::large && !exact ? 2 : 1)
    forward_kernel(const View view, const Tile* tiles, unsigned tile_count) {
  forward_tile<Product<CutOf<size>, false, true, exact>>(view, tiles, tile_count);
}

template <TileSize size, bool exact>
__global__ void __launch_bounds__(CutOf<size>::threads, size == TileSize::large && !exact ? 2 : 1)
    backward_kernel(const View view, const Tile* tiles, unsigned tile_count) {
  backward_tile<Product<CutOf<size>, true, true, exact>>(view, tiles, tile_count);
}

template <bool forward, TileSize size, bool exact>
void start(const View& view, const TileList& list, cudaStream_t stream) {
  using Cut = CutOf<size>;
  const std::size_t blocks = std::size_t{view.members} * list.count;
  constexpr unsigned shared = Product<Cut, !forward, true, exact>::shared_bytes;
  if constexpr (forward) {
    launch(forward_kernel<size, exact>, blocks, Cut::threads, shared, stream, view, list.tiles, list.count);
  } else {
    launch(backward_kernel<size, exact>, blocks, Cut::threads, shared, stream, view, list.tiles, list.count);
  }
}

template <bool forward>
void start(const View& view, const TileList& list, Precision precision, cudaStream_t stream) {
  const auto with = [&]<TileSize size>() {
    precision == Precision::fp32 ? start<forward, size, true>(view, list, stream)
                                 : start<forward, size, false>(view, list, stream);
  };
  switch (list.size) {
    case TileSize::small: return with.template operator()<TileSize::small>();
    case TileSize::large: return with.template operator()<TileSize::large>();
    case TileSize::narrow: return with.template operator()<TileSize::narrow>();
    case TileSize::medium:
    case TileSize::tall: break;
  }
  throw std::logic_error("there are no such tiles");
}

template <TileSize size>
void prepare() {
  using Cut = CutOf<size>;
  allow_shared(forward_kernel<size, false>, Product<Cut, false, true, false>::shared_bytes);
  allow_shared(backward_kernel<size, false>, Product<Cut, true, true, false>::shared_bytes);
  allow_shared(forward_kernel<size, true>, Product<Cut, false, true, true>::shared_bytes);
  allow_shared(backward_kernel<size, true>, Product<Cut, true, true, true>::shared_bytes);
}

}  // namespace

void prepare_layers() {
  prepare<TileSize::small>();
  prepare<TileSize::large>();
  prepare<TileSize::narrow>();
}

TileShape tile_shape(TileSize size, Precision precision) {
  if (precision == Precision::tf32_hopper) return hopper::tile_shape(size);
  switch (size) {
    case TileSize::small: return {SmallCut::m, SmallCut::n};
    case TileSize::large: return {LargeCut::m, LargeCut::n};
    case TileSize::narrow: return {NarrowCut::m, NarrowCut::n};
    case TileSize::medium:
    case TileSize::tall: break;
  }
  throw std::logic_error("there are no such tiles");
}

std::span<const TileSize> tile_sizes(Precision precision) {
  static constexpr TileSize sizes[] = {TileSize::small, TileSize::large};
  return precision == Precision::tf32_hopper ? hopper::tile_sizes() : sizes;
}

void start_forward(const View& view, const TileList& tiles, Precision precision, cudaStream_t stream) {
  if (precision == Precision::tf32_hopper) return hopper::start_forward(view, tiles, stream);
  start<true>(view, tiles, precision, stream);
}

void start_backward(const View& view, const TileList& tiles, Precision precision, cudaStream_t stream) {
  if (precision == Precision::tf32_hopper) return hopper::start_backward(view, tiles, stream);
  start<false>(view, tiles, precision, stream);
}

}  // namespace nomu::engine::cuda
