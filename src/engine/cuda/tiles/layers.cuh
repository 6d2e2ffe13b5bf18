#pragma once
// Forward and backward products of the hidden layers, for any kind of product. Units run along the rows of a tile and
// the rows of the step along its columns: those come in eights, so 136 rows waste little.

#include "engine/cuda/kernels/deltas.cuh"
#include "engine/cuda/kernels/quads.cuh"
#include "engine/cuda/tiles/segments.cuh"
#include "engine/sampling.hpp"

namespace nomu::engine::cuda {

/// First of the four units that a thread finishes, the same in all its rows.
template <class Product>
__device__ unsigned finished_unit(const Tile& tile) {
  return tile.m + threadIdx.x % (Product::Shape::m / 4) * 4;
}

/// Writes the sums of a tile to where finish() reads them. Between the product and this call, the threads of a warp
/// must not diverge: the compiler need not bring them together again for a barrier, but keeps addresses in registers
/// that the warp shares.
template <class Product>
__device__ void share_sums(const Product& product) {
  __syncthreads();
  product.store_columns();
  __syncthreads();
}

/// Calls f(row, sums, read(row), place of the sums) for four units of every row that is this thread's, after
/// share_sums(); where f is `short_work`, `read` runs some rows ahead. What f writes beyond the layer's units falls
/// into the padding of its rows.
template <bool short_work, class Product, class Read, class F>
__device__ void finish(const Tile& tile, unsigned rows, const Read& read, const F& f) {
  using Cut = typename Product::Shape;
  constexpr unsigned quads = Cut::m / 4;
  constexpr unsigned stride = Cut::threads / quads;  // rows from one to the next of a thread
  constexpr unsigned all = Cut::n / stride;
  constexpr unsigned ahead = !short_work ? 1 : all % 6 == 0 ? 6 : all % 5 == 0 ? 5 : all % 3 == 0 ? 3 : 2;
  static_assert(Cut::threads % quads == 0 && Cut::n % (stride * ahead) == 0);
  const unsigned first = threadIdx.x / quads;
  float* const sums = shared_memory() + first * Product::tile_ld + threadIdx.x % quads * 4;
#pragma unroll 1
  for (unsigned c = 0; c < Cut::n; c += stride * ahead) {
    const unsigned row = tile.n + first + c;
    decltype(read(row)) with[ahead];
#pragma unroll
    for (unsigned b = 0; b < ahead; ++b) {
      if (row + b * stride < rows) with[b] = read(row + b * stride);
    }
#pragma unroll
    for (unsigned b = 0; b < ahead; ++b) {
      if (row + b * stride < rows) {
        float* const place = sums + (c + b * stride) * Product::tile_ld;
        f(row + b * stride, read_quad(place), with[b], place);
      }
    }
  }
}

/// Writes a tile whose values are in shared memory once more, rows running fastest: eight rows of four units at a time
/// keep the lanes of a warp on different banks and fill whole sectors of memory.
template <class Product>
__device__ void write_transposed(const Tile& tile, unsigned rows, float* to, unsigned ld) {
  using Cut = typename Product::Shape;
  __syncwarp();
  __syncthreads();
  const float* sums = shared_memory();
  const unsigned unit = threadIdx.x % 4;
  const unsigned row = threadIdx.x % 32 / 4;
  constexpr unsigned across = Cut::m / 4;
  static_assert(Cut::m % 4 == 0 && Cut::n % 8 == 0 && Product::tile_ld % 32 == 4);
  for (unsigned part = threadIdx.x / 32; part < across * (Cut::n / 8); part += Cut::threads / 32) {
    const unsigned m = part % across * 4 + unit;
    const unsigned n = part / across * 8 + row;
    if (tile.n + n < rows) to[std::size_t{tile.m + m} * ld + tile.n + n] = sums[n * Product::tile_ld + m];
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
  const float* weights = view.weights_of(control.source, member);
  float* own = view.values_of(member);
  multiply_segments<Product, true>(product, {view.segments + job.first_segment, job.segments, weights, own, tile,
                                             job.units, control.rows, control.data_rows});
  share_sums(product);

  const unsigned unit = finished_unit<Product>(tile);
  if (unit >= job.units) return;
  const Quad bias = read_quad(weights + job.bias + unit);
  float* out = own + job.out + unit;
  const float rate = control.masks == Masks::none ? 0.0F : view.dropout[job.layer * view.members + member];
  const bool transposed = job.transposed_ld != 0 && control.rows >= transposed_from;
  const auto nothing = [](unsigned) { return 0; };
  const auto write = [&](unsigned row, Quad values, float* place) {
    if (view.rounded) values = rounded(values);
    write_quad(out + std::size_t{row} * job.out_ld, values);
    if (transposed) write_quad(place, values);
  };
  if (rate == 0.0F && job.activation == Activation::relu) {
    finish<true, Product>(tile, control.rows, nothing, [&](unsigned row, Quad sums, int, float* place) {
#pragma unroll
      for (unsigned e = 0; e < 4; ++e) sums.value[e] = activate(Activation::relu, sums.value[e] + bias.value[e]);
      write(row, sums, place);
    });
  } else {
    const DropoutMask mask = mask_of(control, view.info[member].seed, job.layer, rate);
    finish<false, Product>(tile, control.rows, nothing, [&](unsigned row, Quad sums, int, float* place) {
      bool kept[4] = {true, true, true, true};
      if (rate > 0.0F) kept_units(mask, std::uint64_t{control.first_row + row} * job.units + unit, kept);
#pragma unroll
      for (unsigned e = 0; e < 4; ++e) {
        const float value = activate(job.activation, sums.value[e] + bias.value[e]);
        sums.value[e] = rate > 0.0F ? (kept[e] ? value * mask.scale() : 0.0F) : value;
      }
      write(row, sums, place);
    });
  }
  if (transposed) write_transposed<Product>(tile, control.rows, own + job.transposed, job.transposed_ld);
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
  const float* weights = view.weights_of(control.source, member);
  float* own = view.values_of(member);
  multiply_segments<Product, false>(product, {view.segments + job.first_segment, job.segments, weights, own, tile,
                                              job.units, rows, control.data_rows});
  share_sums(product);

  const unsigned unit = finished_unit<Product>(tile);
  if (unit >= job.units) return;
  const float rate = control.masks == Masks::none ? 0.0F : view.dropout[job.layer * view.members + member];
  const auto write = [&](unsigned row, const Quad& deltas) {
    write_quad(own + job.out + std::size_t{row} * job.ld + unit, view.rounded ? rounded(deltas) : deltas);
  };
  struct Read {
    Quad values;
    float slope;
  };
  if (plain(view, job, control, rate)) {
    const OneHead head = head_of(view, job, weights, own, unit);
    const auto read = [&](unsigned row) {
      return Read{read_quad(own + job.values + std::size_t{row} * job.ld + unit), head.slope(row)};
    };
    return finish<true, Product>(tile, rows, read, [&](unsigned row, const Quad& sums, const Read& with, float*) {
      write(row, plain_deltas(sums, with.values, with.slope, head.weights));
    });
  }
  const DropoutMask mask = mask_of(control, view.info[member].seed, job.layer, rate);
  const auto read = [&](unsigned row) { return read_quad(own + job.values + std::size_t{row} * job.ld + unit); };
  finish<false, Product>(tile, rows, read, [&](unsigned row, const Quad& sums, const Quad& values, float*) {
    write(row, any_deltas(view, job, control, mask, weights, own, row, unit, sums, values));
  });
}

}  // namespace nomu::engine::cuda
