#pragma once
// The weight gradient X'D of a tile and, while it is still on the processor, Adam on the tile's weights: gradients are
// never stored. Weights and moments are on their way from memory while the gradient is computed, so that the pass costs
// what its memory traffic costs.

#include <cmath>

#include "engine/cuda/kernels.hpp"
#include "engine/cuda/product.cuh"
#include "engine/cuda/quads.cuh"
#include "engine/cuda/reduce.cuh"

namespace nomu::engine::cuda {
using UpdateCut = Cut<update_tile.units, update_tile.rows, 2, 4, 3>;

/// Where a tile is whole, its inputs and deltas were rounded when they were written.
template <bool exact, bool whole = false>
using GradientTile = Product<UpdateCut, false, false, exact, whole && !exact>;

enum class Work {
  update,   ///< Adam
  squares,  ///< sums of squares of the weights as they are
  norms     ///< sums of squares of the gradient
};

/// Inputs and deltas of a layer, 16 rows of the step at a time.
template <bool exact>
struct RowSlabs {
  Operand inputs, deltas;
  unsigned rows;
  unsigned next = 0;

  [[nodiscard]] __device__ unsigned count() const { return (rows + slab - 1) / slab; }
  __device__ void load(unsigned stage) {
    GradientTile<exact>::load(stage, inputs, deltas, next, rows);
    next += slab;
  }
};

/// The same where the tile is whole.
template <bool exact>
struct WholeRowSlabs {
  typename GradientTile<exact, true>::Copies copies;
  unsigned left;  ///< rows

  [[nodiscard]] __device__ unsigned count() const { return (left + slab - 1) / slab; }
  __device__ void load(unsigned stage) {
    if (left < slab) return copies.load_last(stage, left);
    copies.load(stage);
    left -= slab;
  }
};

/// A tile of one job with the numbers that belong to its member.
struct Place {
  const View& view;
  const UpdateJob& job;
  const Tile& tile;
  const Control& control;
  unsigned member, index;  ///< index: of the tile

  [[nodiscard]] __device__ std::size_t moments() const { return member * view.parameters; }
  [[nodiscard]] __device__ float shrink() const { return 2.0F * view.l2[job.l2 * view.members + member]; }
  [[nodiscard]] __device__ AdamStep<float> adam() const {
    return {control.rate, static_cast<float>(view.train.beta1), static_cast<float>(view.train.beta2),
            static_cast<float>(view.train.epsilon)};
  }
};

/// Four neighbouring parameters of a row with their moments.
struct Parameters {
  Quad weight, first, second;
};

/// A thread's share of the tile: every so many-th group of four neighbouring parameters, the threads side by side.
/// `whole`: all of the tile's parameters exist, may be read four at a time, and Adam is the plain one.
template <bool whole>
class Share {
 public:
  static constexpr unsigned groups = update_tile.rows / 4;                            // of a row of the tile
  static constexpr unsigned count = update_tile.units * groups / UpdateCut::threads;  // of a thread
  static_assert(count * UpdateCut::threads == update_tile.units * groups);

  __device__ explicit Share(const Place& at)
      : units_(at.job.units),
        rows_(at.job.inputs - at.tile.m),
        width_(at.job.units - at.tile.n > column() ? at.job.units - at.tile.n - column() : 0),
        wide_(at.job.wide) {
    if (width_ > 4) width_ = 4;
    const std::size_t begin = at.job.weights + std::size_t{at.tile.m + row(0)} * units_ + at.tile.n + column();
    from_ = at.view.weights_of(at.control.source, at.member) + begin;
    to_ = at.view.weights_of(at.control.target, at.member) + begin;
    first_ = at.view.first + at.moments() + begin;
    second_ = at.view.second + at.moments() + begin;
    largest_ = !whole && at.view.train.amsgrad ? at.view.largest + at.moments() + begin : nullptr;
  }

  /// Where group `c` begins in the tile.
  static __device__ unsigned row(unsigned c) { return threadIdx.x / groups + c * (UpdateCut::threads / groups); }
  static __device__ unsigned column() { return threadIdx.x % groups * 4; }

  /// How many of the group's four parameters there are.
  [[nodiscard]] __device__ unsigned width(unsigned c) const { return whole ? 4 : row(c) < rows_ ? width_ : 0; }

  __device__ void read_weights(unsigned c, Quad& to) const { to = read(from_ + offset(c), width(c)); }
  __device__ void read(unsigned c, Parameters& to) const {
    to.weight = read(from_ + offset(c), width(c));
    to.first = read(first_ + offset(c), width(c));
    to.second = read(second_ + offset(c), width(c));
  }
  __device__ void write(unsigned c, const Parameters& from) const {
    write(to_ + offset(c), from.weight, width(c));
    write(first_ + offset(c), from.first, width(c));
    write(second_ + offset(c), from.second, width(c));
  }

  /// Adam on a group.
  __device__ void step(unsigned c, const AdamStep<float>& adam_step, const Quad& gradient, Parameters& p) const {
    Quad largest{};
    if (!whole && largest_ != nullptr) largest = read(largest_ + offset(c), width(c));
#pragma unroll
    for (unsigned e = 0; e < 4; ++e) {
      if (!whole && largest_ != nullptr) {
        amsgrad(adam_step, gradient.value[e], p.weight.value[e], p.first.value[e], p.second.value[e], largest.value[e]);
      } else {
        adam(adam_step, gradient.value[e], p.weight.value[e], p.first.value[e], p.second.value[e]);
      }
    }
    if (!whole && largest_ != nullptr) write(largest_ + offset(c), largest, width(c));
  }

 private:
  [[nodiscard]] __device__ std::size_t offset(unsigned c) const {
    return std::size_t{c} * (UpdateCut::threads / groups) * units_;
  }
  [[nodiscard]] __device__ Quad read(const float* from, unsigned width) const {
    if constexpr (whole) return read_quad(from);
    if (width == 0) return {};
    return wide_ ? read_quad(from) : read_some(from, width);
  }
  __device__ void write(float* to, const Quad& quad, unsigned width) const {
    if constexpr (whole) return write_quad(to, quad);
    if (width == 0) return;
    wide_ ? write_quad(to, quad) : write_some(to, quad, width);
  }

  const float* from_;
  float *to_, *first_, *second_, *largest_;
  unsigned units_, rows_, width_;
  bool wide_;
};

/// Sum of squares of the first `count` of four numbers.
__device__ inline double squares_of(const Quad& quad, unsigned count) {
  float sum = 0.0F;
#pragma unroll
  for (unsigned e = 0; e < 4; ++e) {
    if (e < count) sum = fmaf(quad.value[e], quad.value[e], sum);
  }
  return static_cast<double>(sum);
}

/// The bias of one column, whose gradient is the sum of the column's deltas.
template <Work work>
__device__ float bias_of_tile(const Place& at, unsigned column, float sum, float shrink, float clip,
                              const AdamStep<float>& adam_step) {
  const View& v = at.view;
  if (!at.tile.with_bias || column >= update_tile.rows || at.tile.n + column >= at.job.units) return 0.0F;
  const std::size_t place = at.job.bias + at.tile.n + column;
  float weight = v.weights_of(at.control.source, at.member)[place];
  const float g = sum + shrink * weight;
  if constexpr (work == Work::update) {
    const std::size_t moment = at.moments() + place;
    if (v.train.amsgrad) {
      amsgrad(adam_step, clip * g, weight, v.first[moment], v.second[moment], v.largest[moment]);
    } else {
      adam(adam_step, clip * g, weight, v.first[moment], v.second[moment]);
    }
    v.weights_of(at.control.target, at.member)[place] = weight;
  }
  const float value = work == Work::norms ? g : weight;
  return value * value;
}

/// The tile's gradient to shared memory; returns the sum of this thread's column of deltas, the gradient of its bias.
template <bool exact, bool whole>
__device__ float gradient_of(const Place& at) {
  const UpdateJob& job = at.job;
  const float* own = at.view.values_of(at.member);
  const unsigned rows = job.data_rows_only ? at.control.data_rows : at.control.rows;
  using Gradient = GradientTile<exact, whole>;
  const Operand inputs{own + job.values + at.tile.m, job.values_ld, job.inputs - at.tile.m, true};
  const Operand deltas{own + job.delta + at.tile.n, job.delta_ld, job.units - at.tile.n, true};
  Gradient gradient;
  float bias = 0.0F;
  const auto add_bias = [&](unsigned stage) {
    if (!at.tile.with_bias || threadIdx.x >= update_tile.rows) return;
    const float* shared = Gradient::slab_b(stage);
    float part = 0.0F;
    for (unsigned k = 0; k < slab; ++k) part += shared[Gradient::SlabB::at(threadIdx.x, k)];
    bias += part;
  };
  if constexpr (whole) {
    WholeRowSlabs<exact> slabs{{inputs, deltas}, rows};
    multiply(gradient, slabs, add_bias);
  } else {
    RowSlabs<exact> slabs{inputs, deltas, rows};
    multiply(gradient, slabs, add_bias);
  }
  __syncthreads();
  gradient.store_rows();
  __syncthreads();
  return bias;
}

/// The gradient of a thread's group `c`, penalty included, from the shared memory that gradient_of() filled.
template <bool exact>
__device__ Quad gradient_at(unsigned c, float shrink, const Quad& weight) {
  Quad gradient =
      read_quad(shared_memory() + Share<true>::row(c) * GradientTile<exact>::row_ld + Share<true>::column());
#pragma unroll
  for (unsigned e = 0; e < 4; ++e) gradient.value[e] = gradient.value[e] + shrink * weight.value[e];
  return gradient;
}

/// Gradient and Adam of a tile; returns the thread's share of the sum of squares of the new weights.
template <bool exact, bool whole>
__device__ double update_tile_of(const Place& at, float shrink, const float* clip) {
  // Groups whose parameters are on their way while the gradient is computed: the others come from the cache.
  constexpr unsigned ahead = 2;
  const Share<whole> share(at);
  Parameters parameters[ahead];
#pragma unroll
  for (unsigned c = 0; c < ahead; ++c) share.read(c, parameters[c]);
  const float bias = gradient_of<exact, whole>(at);
  const AdamStep<float> adam_step = at.adam();
  const float on_weights = clip == nullptr ? 1.0F : clip[0];
  double squares = 0.0;
#pragma unroll
  for (unsigned c = 0; c < share.count; ++c) {
    Parameters now = parameters[c % ahead];
    if (c + ahead < share.count) share.read(c + ahead, parameters[c % ahead]);
    Quad gradient = gradient_at<exact>(c, shrink, now.weight);
#pragma unroll
    for (float& value : gradient.value) value *= on_weights;
    share.step(c, adam_step, gradient, now);
    share.write(c, now);
    squares += squares_of(now.weight, share.width(c));
  }
  return squares + static_cast<double>(bias_of_tile<Work::update>(at, threadIdx.x, bias, shrink,
                                                                  clip == nullptr ? 1.0F : clip[1], adam_step));
}

template <Work work, bool exact>
__device__ void work_on(const Place& at) {
  const View& v = at.view;
  const std::size_t slot = std::size_t{at.member} * v.update_tiles + at.index;
  const float shrink = at.shrink();
  if constexpr (work == Work::update) {
    const float* clip = v.clip == nullptr ? nullptr : v.clip + (std::size_t{at.member} * v.layers + at.job.layer) * 2;
    const bool whole = at.job.wide && at.tile.m + update_tile.units <= at.job.inputs &&
                       at.tile.n + update_tile.rows <= at.job.units && !v.train.amsgrad;
    const double total = block_sum(whole ? update_tile_of<exact, true>(at, shrink, clip)
                                         : update_tile_of<exact, false>(at, shrink, clip));
    if (threadIdx.x == 0) v.squares[slot] = total;
    return;
  }
  const float bias = work == Work::norms ? gradient_of<exact, false>(at) : 0.0F;
  const Share<false> share(at);
  double squares = 0.0;
  for (unsigned c = 0; c < share.count; ++c) {
    Quad weight;
    share.read_weights(c, weight);
    if constexpr (work == Work::norms) weight = gradient_at<exact>(c, shrink, weight);
    squares += squares_of(weight, share.width(c));
  }
  const auto bias_squares = static_cast<double>(bias_of_tile<work>(at, threadIdx.x, bias, shrink, 1.0F, at.adam()));
  if constexpr (work == Work::norms) {
    const double weights_total = block_sum(squares);
    const double bias_total = block_sum(bias_squares);
    if (threadIdx.x == 0) {
      v.clipped[2 * slot] = weights_total;
      v.clipped[2 * slot + 1] = bias_total;
    }
  } else {
    const double total = block_sum(squares + bias_squares);
    if (threadIdx.x == 0) v.squares[slot] = total;
  }
}

}  // namespace nomu::engine::cuda
