// Forward and backward products of the hidden layers, all layers of a phase and all members in one launch. Units run
// along the rows of a tile and the rows of the step along its columns: those come in eights, so 136 rows waste little.

#include <type_traits>

#include "engine/cuda/deltas.cuh"
#include "engine/cuda/kernels.hpp"
#include "engine/cuda/launch.cuh"
#include "engine/cuda/product.cuh"
#include "engine/sampling.hpp"

namespace nomu::engine::cuda {
namespace {

using LargeCut = Cut<128, 144, 4, 2, 4>;
using SmallCut = Cut<32, 48, 2, 2, 6>;
using NarrowCut = Cut<128, 16, 4, 1, 6>;

template <TileSize size>
using CutOf = std::conditional_t<size == TileSize::large, LargeCut,
                                 std::conditional_t<size == TileSize::small, SmallCut, NarrowCut>>;

/// The slabs of all segments of a job, one after the other.
template <class Product, bool forward>
class SegmentSlabs {
 public:
  __device__ SegmentSlabs(const View& view, const Control& control, unsigned member, unsigned first_segment,
                          unsigned segments, unsigned units, unsigned rows, const Tile& tile)
      : next_(view.segments + first_segment),
        left_(segments),
        weights_(view.weights_of(control.source, member)),
        values_(view.values_of(member)),
        tile_(tile),
        units_(units),
        rows_(rows),
        data_rows_(control.data_rows) {
    for (unsigned s = 0; s < segments; ++s) count_ += (view.segments[first_segment + s].depth + slab - 1) / slab;
    if (left_ > 0) open();
  }

  [[nodiscard]] __device__ unsigned count() const { return count_; }

  __device__ void load(unsigned stage) {
    Product::load(stage, a_, b_, k_, depth_);
    k_ += slab;
    if (k_ < depth_ || --left_ == 0) return;
    ++next_;
    open();
  }

 private:
  __device__ void open() {
    const Segment& s = *next_;
    const float* block = weights_ + s.weights;
    // Forward, weights [depth][units] are read along their columns; backward, [units][depth] along their rows.
    a_ = {forward ? block + tile_.m : block + std::size_t{tile_.m} * s.weight_ld, s.weight_ld, units_ - tile_.m,
          s.wide};
    const unsigned rows = s.data_rows_only && data_rows_ < rows_ ? data_rows_ : rows_;
    b_ = {values_ + s.values + std::size_t{tile_.n} * s.values_ld, s.values_ld, rows > tile_.n ? rows - tile_.n : 0,
          true};
    k_ = 0;
    depth_ = s.depth;
  }

  const Segment* next_;
  unsigned left_;
  const float *weights_, *values_;
  Tile tile_;
  unsigned units_, rows_, data_rows_;
  unsigned count_ = 0, k_ = 0, depth_ = 0;
  Operand a_{}, b_{};
};

__device__ DropoutMask mask_of(const Control& control, std::uint64_t seed, unsigned layer, float rate) {
  return control.masks == Masks::training ? training_mask(seed, layer, control.step, rate)
                                          : prediction_mask(seed, layer, control.step, rate);
}

/// Four neighbouring units of one row.
struct Quad {
  float value[4];
};

__device__ Quad read_quad(const float* from) {
  const float4 v = *reinterpret_cast<const float4*>(from);
  return {{v.x, v.y, v.z, v.w}};
}

__device__ void write_quad(float* to, const Quad& quad) {
  *reinterpret_cast<float4*>(to) = make_float4(quad.value[0], quad.value[1], quad.value[2], quad.value[3]);
}

/// Which of four units are kept; their masks are numbered from `place` on.
__device__ void kept_units(const DropoutMask& mask, std::uint64_t place, bool (&kept)[4]) {
  PhiloxBlock block = mask.stream.block(place / 4);
  for (unsigned e = 0; e < 4; ++e) {
    if (e > 0 && (place + e) % 4 == 0) block = mask.stream.block((place + e) / 4);
    kept[e] = uniform_float(block.word[(place + e) % 4]) >= mask.rate;
  }
}

/// Calls f(row, unit, sums) for four units of a row at a time: `row` of the step, `unit` of the layer. What f writes
/// beyond the layer's units falls into the padding of its rows.
template <class Cut, class Tiles, class F>
__device__ void finish(const Tiles& product, const Tile& tile, unsigned rows, unsigned units, const F& f) {
  __syncthreads();
  product.store_columns();
  __syncthreads();
  constexpr unsigned quads = Cut::m / 4;
  for (unsigned c = threadIdx.x; c < Cut::n * quads; c += Cut::threads) {
    const unsigned row = tile.n + c / quads;
    const unsigned unit = tile.m + c % quads * 4;
    if (row >= rows) break;
    if (unit < units) f(row, unit, read_quad(shared_memory() + c / quads * Tiles::tile_ld + c % quads * 4));
  }
}

template <TileSize size, bool exact>
__global__ void __launch_bounds__(CutOf<size>::threads, size == TileSize::large && !exact ? 2 : 1)
    forward_kernel(const View view, const Tile* tiles, unsigned tile_count) {
  using Cut = CutOf<size>;
  using Tiles = Product<Cut, false, true, exact>;
  const unsigned member = blockIdx.x / tile_count;
  const Tile tile = tiles[blockIdx.x % tile_count];
  const Control control = view.control[member];
  if (tile.n >= control.rows) return;
  const ForwardJob& job = view.forward[tile.job];
  Tiles product;
  SegmentSlabs<Tiles, true> slabs(view, control, member, job.first_segment, job.segments, job.units, control.rows,
                                  tile);
  multiply<Cut>(product, slabs, [](unsigned) {});

  const float* bias = view.weights_of(control.source, member) + job.bias;
  float* out = view.values_of(member) + job.out;
  const float rate = control.masks == Masks::none ? 0.0F : view.dropout[job.net * view.members + member];
  const DropoutMask mask = mask_of(control, view.info[member].seed, job.layer, rate);
  finish<Cut>(product, tile, control.rows, job.units, [&](unsigned row, unsigned unit, Quad sums) {
    const Quad b = read_quad(bias + unit);
    bool kept[4] = {true, true, true, true};
    if (rate > 0.0F) kept_units(mask, std::uint64_t{control.first_row + row} * job.units + unit, kept);
#pragma unroll
    for (unsigned e = 0; e < 4; ++e) {
      const float value = activate(job.activation, sums.value[e] + b.value[e]);
      sums.value[e] = rate > 0.0F ? (kept[e] ? value * mask.scale() : 0.0F) : value;
    }
    write_quad(out + std::size_t{row} * job.out_ld + unit, sums);
  });
}

template <TileSize size, bool exact>
__global__ void __launch_bounds__(CutOf<size>::threads, size == TileSize::large && !exact ? 2 : 1)
    backward_kernel(const View view, const Tile* tiles, unsigned tile_count) {
  using Cut = CutOf<size>;
  using Tiles = Product<Cut, true, true, exact>;
  const unsigned member = blockIdx.x / tile_count;
  const Tile tile = tiles[blockIdx.x % tile_count];
  const Control control = view.control[member];
  const BackwardJob& job = view.backward[tile.job];
  const unsigned rows = job.data_rows_only ? control.data_rows : control.rows;
  if (control.update == 0 || tile.n >= rows) return;
  Tiles product;
  SegmentSlabs<Tiles, false> slabs(view, control, member, job.first_segment, job.segments, job.units, rows, tile);
  multiply<Cut>(product, slabs, [](unsigned) {});

  const float* weights = view.weights_of(control.source, member);
  float* own = view.values_of(member);
  const float rate = control.masks == Masks::none ? 0.0F : view.dropout[job.net * view.members + member];
  const DropoutMask mask = mask_of(control, view.info[member].seed, job.layer, rate);
  // Where a ReLU unit is positive it was kept; other activations need the mask again.
  const bool masked = rate > 0.0F && job.activation != Activation::relu;
  finish<Cut>(product, tile, rows, job.units, [&](unsigned row, unsigned unit, Quad sums) {
    const std::size_t place = std::size_t{row} * job.ld + unit;
    const Quad values = read_quad(own + job.values + place);
    bool kept[4] = {true, true, true, true};
    if (masked) kept_units(mask, std::uint64_t{row} * job.units + unit, kept);
#pragma unroll
    for (unsigned e = 0; e < 4; ++e) {
      if (unit + e >= job.units) continue;
      const float delta = sums.value[e] + from_heads(view, job, control, weights, own, row, unit + e);
      sums.value[e] = through_activation(job.activation, values.value[e], delta, rate, kept[e]);
    }
    write_quad(own + job.out + place, sums);
  });
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
  }
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

TileShape tile_shape(TileSize size) {
  switch (size) {
    case TileSize::small: return {SmallCut::m, SmallCut::n};
    case TileSize::large: return {LargeCut::m, LargeCut::n};
    case TileSize::narrow: break;
  }
  return {NarrowCut::m, NarrowCut::n};
}

void start_forward(const View& view, const TileList& tiles, Precision precision, cudaStream_t stream) {
  start<true>(view, tiles, precision, stream);
}

void start_backward(const View& view, const TileList& tiles, Precision precision, cudaStream_t stream) {
  start<false>(view, tiles, precision, stream);
}

}  // namespace nomu::engine::cuda
