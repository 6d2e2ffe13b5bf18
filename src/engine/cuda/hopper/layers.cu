// The kernels of engine/cuda/tiles/layers.cu for compute capability 9.0a. This file is compiled for it only.

#include <type_traits>

#include "engine/cuda/hopper/layers.hpp"
#include "engine/cuda/hopper/product.cuh"
#include "engine/cuda/kernels/launch.cuh"
#include "engine/cuda/tiles/layers.cuh"

namespace nomu::engine::cuda::hopper {
namespace {

template <TileSize>
struct CutFor;
template <>
struct CutFor<TileSize::small> : std::type_identity<GroupCut<64, 24, 4, 64>> {};
template <>
struct CutFor<TileSize::medium> : std::type_identity<GroupCut<64, 40, 4, 64>> {};
template <>
struct CutFor<TileSize::tall> : std::type_identity<GroupCut<64, 144, 4>> {};
template <>
struct CutFor<TileSize::large> : std::type_identity<GroupCut<128, 144, 3>> {};
template <>
struct CutFor<TileSize::narrow> : std::type_identity<GroupCut<128, 16, 5>> {};

template <TileSize size>
using CutOf = typename CutFor<size>::type;

/// Calls f<size>().
template <class F>
decltype(auto) with(TileSize size, const F& f) {
  switch (size) {
    case TileSize::small: return f.template operator()<TileSize::small>();
    case TileSize::medium: return f.template operator()<TileSize::medium>();
    case TileSize::tall: return f.template operator()<TileSize::tall>();
    case TileSize::large: return f.template operator()<TileSize::large>();
    case TileSize::narrow: break;
  }
  return f.template operator()<TileSize::narrow>();
}

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
  with(list.size, [&]<TileSize size>() {
    launch(kernel_of<forward, size>(), std::size_t{view.members} * list.count, CutOf<size>::threads,
           ProductOf<size, forward>::shared_bytes, stream, view, list.tiles, list.count);
  });
}

constexpr TileSize sizes[] = {TileSize::small, TileSize::medium, TileSize::tall, TileSize::large};

}  // namespace

TileShape tile_shape(TileSize size) {
  return with(size, [&]<TileSize s>() { return TileShape{CutOf<s>::m, CutOf<s>::n}; });
}

std::span<const TileSize> tile_sizes() { return sizes; }

void prepare_layers() {
  const auto prepare = [&]<TileSize size>() {
    allow_shared(forward_kernel<size>, ProductOf<size, true>::shared_bytes);
    allow_shared(backward_kernel<size>, ProductOf<size, false>::shared_bytes);
  };
  for (const TileSize size : sizes) with(size, prepare);
  with(TileSize::narrow, prepare);
}

void start_forward(const View& view, const TileList& tiles, cudaStream_t stream) { start<true>(view, tiles, stream); }

void start_backward(const View& view, const TileList& tiles, cudaStream_t stream) { start<false>(view, tiles, stream); }

}  // namespace nomu::engine::cuda::hopper
