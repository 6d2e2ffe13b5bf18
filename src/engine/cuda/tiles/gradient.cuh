#pragma once
// The weight gradient X'D of a tile and, while it is still on the processor, Adam on the tile's weights: gradients are
// never stored. Weights and moments are loaded from memory while the gradient is computed, so that the pass costs what
// its memory traffic costs.

#include <cmath>

#include "engine/cuda/kernels/reduce.cuh"
#include "engine/cuda/tiles/share.cuh"

namespace nomu::engine::cuda {

/// The inputs and deltas of a whole tile were rounded when they were written.
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

/// The same for a whole tile.
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

/// A tile's gradient with the products that all GPUs have; hopper/update.cu has another one.
template <bool exact, bool whole>
struct TileGradient {
  static constexpr unsigned inputs = update_tile.units;
  static constexpr bool once = false;                          ///< of Share
  static constexpr unsigned ahead = 4;                         ///< of update_tile_of()
  static constexpr unsigned ld = GradientTile<exact>::row_ld;  ///< of the gradient in shared memory, [inputs][ld]
  static __device__ float compute(const Place& at);
};

/// The tile's gradient to shared memory; returns the sum of this thread's column of deltas, the gradient of its bias.
template <bool exact, bool whole>
__device__ float TileGradient<exact, whole>::compute(const Place& at) {
  const UpdateJob& job = at.job;
  const float* own = at.view.values_of(at.member);
  const unsigned rows = at.rows();
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

/// The gradient of a thread's group `c`, penalty included, from the shared memory that compute() filled.
template <class Gradient>
__device__ Quad gradient_at(unsigned c, float shrink, const Quad& weight) {
  Quad gradient = read_quad(shared_memory() + Share<true>::row(c) * Gradient::ld + Share<true>::column());
#pragma unroll
  for (unsigned e = 0; e < 4; ++e) gradient.value[e] = gradient.value[e] + shrink * weight.value[e];
  return gradient;
}

/// Gradient and Adam of a tile; returns the thread's share of the sum of squares of the new weights. The parameters of
/// some of a thread's groups are loaded while the gradient is computed, then those of Gradient::ahead.
template <class Gradient, bool whole>
__device__ double update_tile_of(const Place& at) {
  const View& v = at.view;
  const float shrink = at.shrink();
  const float* clip = v.clip == nullptr ? nullptr : v.clip + (std::size_t{at.member} * v.layers + at.job.layer) * 2;
  constexpr unsigned before = 2;
  constexpr unsigned ahead = Gradient::ahead;
  const Share<whole, Gradient::once> share(at);
  constexpr unsigned count = Gradient::inputs * share.groups / UpdateCut::threads;  // of a thread's groups
  Parameters parameters[ahead];
#pragma unroll
  for (unsigned c = 0; c < before; ++c) share.read(c, parameters[c]);
  const float bias = Gradient::compute(at);
#pragma unroll
  for (unsigned c = before; c < ahead; ++c) share.read(c, parameters[c]);
  const AdamStep<float> adam_step = at.adam();
  const float on_weights = clip == nullptr ? 1.0F : clip[0];
  double squares = 0.0;
#pragma unroll
  for (unsigned c = 0; c < count; ++c) {
    Parameters now = parameters[c % ahead];
    if (c + ahead < count) share.read(c + ahead, parameters[c % ahead]);
    Quad gradient = gradient_at<Gradient>(c, shrink, now.weight);
#pragma unroll
    for (float& value : gradient.value) value *= on_weights;
    share.step(c, adam_step, gradient, now);
    share.write(c, now);
    squares += squares_of(now.weight, share.width(c));
  }
  return squares + static_cast<double>(bias_of_tile<Work::update>(at, threadIdx.x, bias, shrink,
                                                                  clip == nullptr ? 1.0F : clip[1], adam_step));
}

/// Adds up the threads' shares of the sum of squares of a tile's weights.
__device__ inline void keep_squares(const Place& at, double share) {
  const double total = block_sum(share);
  if (threadIdx.x == 0) at.view.squares[std::size_t{at.member} * at.view.update_tiles + at.index] = total;
}

template <Work work, bool exact>
__device__ void work_on(const Place& at) {
  if constexpr (work == Work::update) {
    return keep_squares(at, at.whole() ? update_tile_of<TileGradient<exact, true>, true>(at)
                                       : update_tile_of<TileGradient<exact, false>, false>(at));
  }
  using Gradient = TileGradient<exact, false>;
  const float shrink = at.shrink();
  const float bias = work == Work::norms ? Gradient::compute(at) : 0.0F;
  const Share<false> share(at);
  double squares = 0.0;
  for (unsigned c = 0; c < update_tile.units * share.groups / UpdateCut::threads; ++c) {
    Quad weight;
    share.read_weights(c, weight);
    if constexpr (work == Work::norms) weight = gradient_at<Gradient>(c, shrink, weight);
    squares += squares_of(weight, share.width(c));
  }
  const auto bias_squares = static_cast<double>(bias_of_tile<work>(at, threadIdx.x, bias, shrink, 1.0F, at.adam()));
  if constexpr (work == Work::norms) {
    const double weights_total = block_sum(squares);
    const double bias_total = block_sum(bias_squares);
    if (threadIdx.x == 0) {
      double* const clipped = at.view.clipped + 2 * (std::size_t{at.member} * at.view.update_tiles + at.index);
      clipped[0] = weights_total;
      clipped[1] = bias_total;
    }
  } else {
    keep_squares(at, squares + bias_squares);
  }
}

}  // namespace nomu::engine::cuda
