#pragma once
// The weight gradient X'D of a tile and, while it is still in registers, Adam on the tile's weights: gradients are
// never stored. With few rows the sum is short and the pass costs what its memory traffic costs.

#include <cmath>

#include "engine/cuda/kernels.hpp"
#include "engine/cuda/product.cuh"
#include "engine/cuda/reduce.cuh"

namespace nomu::engine::cuda {
using UpdateCut = Cut<update_tile.units, update_tile.rows, 2, 2, 3>;

template <bool exact>
using GradientTile = Product<UpdateCut, false, false, exact>;

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

/// Two neighbouring parameters with their moments.
struct Pair {
  float weight[2], first[2], second[2], largest[2];
};

__device__ inline void read(float (&to)[2], const float* from, bool paired, bool both) {
  if (paired) {
    const float2 value = *reinterpret_cast<const float2*>(from);
    to[0] = value.x;
    to[1] = value.y;
  } else {
    to[0] = from[0];
    to[1] = both ? from[1] : 0.0F;
  }
}

__device__ inline void write(float* to, const float (&from)[2], bool paired, bool both) {
  if (paired) {
    *reinterpret_cast<float2*>(to) = make_float2(from[0], from[1]);
  } else {
    to[0] = from[0];
    if (both) to[1] = from[1];
  }
}

__device__ inline void step(const AdamStep<float>& adam_step, bool amsgrad_wanted, float gradient, Pair& p,
                            unsigned e) {
  if (amsgrad_wanted) {
    amsgrad(adam_step, gradient, p.weight[e], p.first[e], p.second[e], p.largest[e]);
  } else {
    adam(adam_step, gradient, p.weight[e], p.first[e], p.second[e]);
  }
}

/// Works on one row of a lane's fragments; returns the sum of squares that the work is about.
template <Work work, bool exact>
__device__ float row_of_tile(const Place& at, const GradientTile<exact>& gradient, unsigned i, unsigned half,
                             float shrink, float clip, const AdamStep<float>& adam_step) {
  constexpr unsigned columns = UpdateCut::fragments_n;
  const View& v = at.view;
  const unsigned input = at.tile.m + GradientTile<exact>::row(i, half);
  if (input >= at.job.inputs) return 0.0F;
  const std::size_t row = at.job.weights + std::size_t{input} * at.job.units + at.tile.n;
  const float* from = v.weights_of(at.control.source, at.member) + row;
  float* to = v.weights_of(at.control.target, at.member) + row;
  float* first = v.first + at.moments() + row;
  float* second = v.second + at.moments() + row;
  float* largest = v.train.amsgrad ? v.largest + at.moments() + row : nullptr;
  const unsigned width = at.job.units - at.tile.n;
  Pair pairs[columns];
  // All loads before the first store: they need not wait for each other.
#pragma unroll
  for (unsigned j = 0; j < columns; ++j) {
    const unsigned c = GradientTile<exact>::column(j);
    if (c >= width) continue;
    const bool both = c + 1 < width;
    read(pairs[j].weight, from + c, at.job.paired, both);
    if constexpr (work == Work::update) {
      read(pairs[j].first, first + c, at.job.paired, both);
      read(pairs[j].second, second + c, at.job.paired, both);
      if (largest != nullptr) read(pairs[j].largest, largest + c, at.job.paired, both);
    }
  }
  float squares = 0.0F;
#pragma unroll
  for (unsigned j = 0; j < columns; ++j) {
    const unsigned c = GradientTile<exact>::column(j);
    if (c >= width) continue;
    Pair& p = pairs[j];
    const bool both = c + 1 < width;
#pragma unroll
    for (unsigned e = 0; e < 2; ++e) {
      if (e == 1 && !both) continue;
      const float g = work == Work::squares ? 0.0F : gradient.sum(i, half, j, e) + shrink * p.weight[e];
      if constexpr (work == Work::update) step(adam_step, largest != nullptr, clip * g, p, e);
      const float value = work == Work::norms ? g : p.weight[e];
      squares = fmaf(value, value, squares);
    }
    if constexpr (work == Work::update) {
      write(to + c, p.weight, at.job.paired, both);
      write(first + c, p.first, at.job.paired, both);
      write(second + c, p.second, at.job.paired, both);
      if (largest != nullptr) write(largest + c, p.largest, at.job.paired, both);
    }
  }
  return squares;
}

/// The bias of one column, whose gradient is the sum of the column's deltas.
template <Work work>
__device__ float bias_of_tile(const Place& at, unsigned column, float sum, float shrink, float clip,
                              const AdamStep<float>& adam_step) {
  const View& v = at.view;
  if (!at.tile.with_bias || column >= update_tile.rows || at.tile.n + column >= at.job.units) return 0.0F;
  const std::size_t place = at.job.bias + at.tile.n + column;
  Pair p{};
  p.weight[0] = v.weights_of(at.control.source, at.member)[place];
  const float g = sum + shrink * p.weight[0];
  if constexpr (work == Work::update) {
    const std::size_t moment = at.moments() + place;
    p.first[0] = v.first[moment];
    p.second[0] = v.second[moment];
    if (v.train.amsgrad) p.largest[0] = v.largest[moment];
    step(adam_step, v.train.amsgrad, clip * g, p, 0);
    v.weights_of(at.control.target, at.member)[place] = p.weight[0];
    v.first[moment] = p.first[0];
    v.second[moment] = p.second[0];
    if (v.train.amsgrad) v.largest[moment] = p.largest[0];
  }
  const float value = work == Work::norms ? g : p.weight[0];
  return value * value;
}

template <Work work, bool exact>
__device__ void work_on(const Place& at) {
  const View& v = at.view;
  const UpdateJob& job = at.job;
  GradientTile<exact> gradient;
  float bias = 0.0F;
  if constexpr (work != Work::squares) {
    const float* own = v.values_of(at.member);
    const unsigned rows = job.data_rows_only ? at.control.data_rows : at.control.rows;
    RowSlabs<exact> slabs{{own + job.values + at.tile.m, job.values_ld, job.inputs - at.tile.m, true},
                          {own + job.delta + at.tile.n, job.delta_ld, job.units - at.tile.n, true},
                          rows};
    multiply<UpdateCut>(gradient, slabs, [&](unsigned stage) {
      if (!at.tile.with_bias || threadIdx.x >= update_tile.rows) return;
      const float* deltas = GradientTile<exact>::slab_b(stage);
      float part = 0.0F;
      for (unsigned k = 0; k < slab; ++k) part += deltas[GradientTile<exact>::SlabB::at(threadIdx.x, k)];
      bias += part;
    });
  }
  const float shrink = at.shrink();
  const AdamStep<float> adam_step = at.adam();
  const float* clip = v.clip == nullptr ? nullptr : v.clip + (std::size_t{at.member} * v.layers + job.layer) * 2;
  const float on_weights = clip == nullptr ? 1.0F : clip[0];
  const float on_bias = clip == nullptr ? 1.0F : clip[1];
  double squares = 0.0;
#pragma unroll
  for (unsigned i = 0; i < UpdateCut::fragments_m; ++i) {
#pragma unroll
    for (unsigned half = 0; half < 2; ++half) {
      squares += static_cast<double>(row_of_tile<work, exact>(at, gradient, i, half, shrink, on_weights, adam_step));
    }
  }
  const auto bias_squares = static_cast<double>(bias_of_tile<work>(at, threadIdx.x, bias, shrink, on_bias, adam_step));
  const std::size_t slot = std::size_t{at.member} * v.update_tiles + at.index;
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
