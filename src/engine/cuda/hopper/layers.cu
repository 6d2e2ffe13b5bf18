// The kernels of engine/cuda/layers.cu for compute capability 9.0a. This file is compiled for that alone.

#include <type_traits>

#include "engine/cuda/hopper/layers.hpp"
#include "engine/cuda/hopper/product.cuh"
#include "engine/cuda/launch.cuh"
#include "engine/cuda/layers.cuh"

namespace nomu::engine::cuda::hopper {
namespace {

using LargeCut = GroupCut<128, 144, 3>;
using SmallCut = GroupCut<64, 24, 8>;
using NarrowCut = GroupCut<128, 16, 5>;

template <TileSize size>
using CutOf = std::conditional_t<size == TileSize::large, LargeCut,
                                 std::conditional_t<size == TileSize::small, SmallCut, NarrowCut>>;

template <TileSize size, bool forward>
using ProductOf = GroupProduct<CutOf<size>, !forward>;

template <TileSize size>
__global__ void __launch_bounds__(CutOf<size>::threads, 2)
    forward_kernel(const View view, const Tile* tiles, unsigned tile_count) {
  forward_tile<ProductOf<size, true>>(view, tiles, tile_count);
}

template <TileSize size>
__global__ void __launch_bounds__(CutOf<size>::threads, 2)
    backward_kernel(const View view, const Tile* tiles, unsigned tile_count) {
  backward_tile<ProductOf<size, false>>(view, tiles, tile_count);
}

template <bool forward, TileSize size>
constexpr auto kernel_of() {
  if constexpr (forward)
    return forward_kernel<size>;
  else
    return backward_kernel<size>;
}

template <bool forward>
void start(const View& view, const TileList& list, cudaStream_t stream) {
  const auto with = [&]<TileSize size>() {
    launch(kernel_of<forward, size>(), std::size_t{view.members} * list.count, CutOf<size>::threads,
           ProductOf<size, forward>::shared_bytes, stream, view, list.tiles, list.count);
  };
  switch (list.size) {
    case TileSize::small: return with.template operator()<TileSize::small>();
    case TileSize::large: return with.template operator()<TileSize::large>();
    case TileSize::narrow: return with.template operator()<TileSize::narrow>();
  }
}

template <TileSize size>
void prepare() {
  allow_shared(forward_kernel<size>, ProductOf<size, true>::shared_bytes);
  allow_shared(backward_kernel<size>, ProductOf<size, false>::shared_bytes);
}

}  // namespace

TileShape tile_shape(TileSize size) {
  switch (size) {
    case TileSize::small: return {SmallCut::m, SmallCut::n};
    case TileSize::large: return {LargeCut::m, LargeCut::n};
    case TileSize::narrow: break;
  }
  return {NarrowCut::m, NarrowCut::n};
}

void prepare_layers() {
  prepare<TileSize::small>();
  prepare<TileSize::large>();
  prepare<TileSize::narrow>();
}

void start_forward(const View& view, const TileList& tiles, cudaStream_t stream) { start<true>(view, tiles, stream); }

void start_backward(const View& view, const TileList& tiles, cudaStream_t stream) { start<false>(view, tiles, stream); }

}  // namespace nomu::engine::cuda::hopper
