#pragma once
// Forward and backward products of the hidden layers, for any kind of product. Units run along the rows of a tile and
// the rows of the step along its columns: those come in eights, so 136 rows waste little.

#include "engine/cuda/deltas.cuh"
#include "engine/cuda/product.cuh"
#include "engine/cuda/quads.cuh"
#include "engine/sampling.hpp"

namespace nomu::engine::cuda {

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
    for (unsigned s = 0; s < segments; ++s)
      count_ += (view.segments[first_segment + s].depth + Product::depth - 1) / Product::depth;
    if (left_ > 0) open();
  }

  [[nodiscard]] __device__ unsigned count() const { return count_; }

  __device__ void load(unsigned stage) {
    Product::load(stage, a_, b_, k_, depth_);
    k_ += Product::depth;
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

/// Calls f(row, unit, sums) for four units of a row at a time: `row` of the step, `unit` of the layer. What f writes
/// beyond the layer's units falls into the padding of its rows.
template <class Product, class F>
__device__ void finish(const Product& product, const Tile& tile, unsigned rows, unsigned units, const F& f) {
  __syncthreads();
  product.store_columns();
  __syncthreads();
  using Cut = typename Product::Shape;
  constexpr unsigned quads = Cut::m / 4;
  for (unsigned c = threadIdx.x; c < Cut::n * quads; c += Cut::threads) {
    const unsigned row = tile.n + c / quads;
    const unsigned unit = tile.m + c % quads * 4;
    if (row >= rows) break;
    if (unit < units) f(row, unit, read_quad(shared_memory() + c / quads * Product::tile_ld + c % quads * 4));
  }
}

/// Values of a layer: product, bias, activation, dropout.
template <class Product>
__device__ void forward_tile(const View& view, const Tile* tiles, unsigned tile_count) {
  const unsigned member = blockIdx.x / tile_count;
  const Tile tile = tiles[blockIdx.x % tile_count];
  const Control control = view.control[member];
  if (tile.n >= control.rows) return;
  const ForwardJob& job = view.forward[tile.job];
  Product product;
  SegmentSlabs<Product, true> slabs(view, control, member, job.first_segment, job.segments, job.units, control.rows,
                                    tile);
  multiply(product, slabs, [](unsigned) {});

  const float* bias = view.weights_of(control.source, member) + job.bias;
  float* out = view.values_of(member) + job.out;
  const float rate = control.masks == Masks::none ? 0.0F : view.dropout[job.net * view.members + member];
  const DropoutMask mask = mask_of(control, view.info[member].seed, job.layer, rate);
  finish(product, tile, control.rows, job.units, [&](unsigned row, unsigned unit, Quad sums) {
    const Quad b = read_quad(bias + unit);
    bool kept[4] = {true, true, true, true};
    if (rate > 0.0F) kept_units(mask, std::uint64_t{control.first_row + row} * job.units + unit, kept);
#pragma unroll
    for (unsigned e = 0; e < 4; ++e) {
      const float value = activate(job.activation, sums.value[e] + b.value[e]);
      sums.value[e] = rate > 0.0F ? (kept[e] ? value * mask.scale() : 0.0F) : value;
    }
    write_quad(out + std::size_t{row} * job.out_ld + unit, view.rounded ? rounded(sums) : sums);
  });
}

/// Deltas of a layer: product, heads, slope of the activation.
template <class Product>
__device__ void backward_tile(const View& view, const Tile* tiles, unsigned tile_count) {
  const unsigned member = blockIdx.x / tile_count;
  const Tile tile = tiles[blockIdx.x % tile_count];
  const Control control = view.control[member];
  const BackwardJob& job = view.backward[tile.job];
  const unsigned rows = job.data_rows_only ? control.data_rows : control.rows;
  if (control.update == 0 || tile.n >= rows) return;
  Product product;
  SegmentSlabs<Product, false> slabs(view, control, member, job.first_segment, job.segments, job.units, rows, tile);
  multiply(product, slabs, [](unsigned) {});

  const float* weights = view.weights_of(control.source, member);
  float* own = view.values_of(member);
  const float rate = control.masks == Masks::none ? 0.0F : view.dropout[job.net * view.members + member];
  const DropoutMask mask = mask_of(control, view.info[member].seed, job.layer, rate);
  // Where a ReLU unit is positive it was kept; other activations need the mask again.
  const bool masked = rate > 0.0F && job.activation != Activation::relu;
  finish(product, tile, rows, job.units, [&](unsigned row, unsigned unit, Quad sums) {
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
    write_quad(own + job.out + place, view.rounded ? rounded(sums) : sums);
  });
}

}  // namespace nomu::engine::cuda
