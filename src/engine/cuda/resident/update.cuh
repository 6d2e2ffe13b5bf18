#pragma once
// The update of a network in shared memory: gradients, clipping, Adam.

#include <cmath>

#include "engine/cuda/resident/layers.cuh"

namespace nomu::engine::cuda {

/// The first of `items` pieces of work that is this thread's, where `before` other pieces come first: the work of
/// several jobs is distributed evenly over the threads without a barrier between them.
__device__ inline unsigned own_item(unsigned before) {
  return (threadIdx.x + blockDim.x - before % blockDim.x) % blockDim.x;
}

/// Sum over the rows of an input times four neighbouring deltas; `ones`: the input is 1 everywhere.
__device__ inline Quad outer_sum(const float* input, unsigned input_ld, const float* delta, unsigned delta_ld,
                                 unsigned rows, bool ones) {
  Quad sum[4] = {};
  const auto add = [&](unsigned row, unsigned to) {
    const float value = ones ? 1.0F : input[row * input_ld];
    const Quad d = read_quad(delta + row * delta_ld);
#pragma unroll
    for (unsigned e = 0; e < 4; ++e) sum[to].value[e] = fmaf(value, d.value[e], sum[to].value[e]);
  };
  unsigned row = 0;
  for (; row + 4 <= rows; row += 4) {
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) add(row + i, i);
  }
#pragma unroll
  for (unsigned i = 0; i < 3; ++i) {
    if (row + i < rows) add(row + i, i);
  }
  Quad total;
#pragma unroll
  for (unsigned e = 0; e < 4; ++e) {
    total.value[e] = (sum[0].value[e] + sum[1].value[e]) + (sum[2].value[e] + sum[3].value[e]);
  }
  return total;
}

/// The gradient of one feed, and of the layer's bias with its first one; `before`: see own_item(). Returns how many
/// pieces of work come before the next feed's.
__device__ inline unsigned gradients(const View& view, const Resident& r, const UpdateJob job, const Control control,
                                     unsigned member, unsigned before) {
  const unsigned rows = job.data_rows_only ? control.data_rows : control.rows;
  const float shrink = 2.0F * view.l2[job.l2 * view.members + member];
  const unsigned quads = (job.units + 3) / 4;
  const unsigned items = (job.inputs + (job.first ? 1 : 0)) * quads;
  for (unsigned e = own_item(before); e < items; e += blockDim.x) {
    const unsigned unit = e % quads * 4;
    const unsigned input = e / quads;
    const bool bias = input == job.inputs;
    const Quad sum =
        outer_sum(r.values + job.values + input, job.values_ld, r.values + job.delta + unit, job.delta_ld, rows, bias);
    const std::uint64_t place = bias ? job.bias + unit : job.weights + std::uint64_t{input} * job.units + unit;
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
      if (unit + i < job.units) r.gradient[place + i] = sum.value[i] + shrink * r.weights[place + i];
    }
  }
  return before + items;
}

/// Shortens the gradient of a tensor to the member's clip norm; the work of one warp.
__device__ inline void clip(float* gradient, unsigned count, float limit) {
  const unsigned lane = threadIdx.x % 32;
  float part = 0.0F;
  for (unsigned e = lane; e < count; e += 32) part = fmaf(gradient[e], gradient[e], part);
  const double length = sqrt(warp_sum(static_cast<double>(part)));
  if (length <= static_cast<double>(limit)) return;
  const auto shorter = static_cast<float>(static_cast<double>(limit) / length);
  for (unsigned e = lane; e < count; e += 32) gradient[e] *= shorter;
}

__device__ inline unsigned adam_pass(const View& view, const Resident& r, const Control& control, std::uint64_t begin,
                                     unsigned count, unsigned before) {
  const AdamStep<float> step{control.rate, static_cast<float>(view.train.beta1), static_cast<float>(view.train.beta2),
                             static_cast<float>(view.train.epsilon)};
  for (std::uint64_t e = begin + own_item(before); e < begin + count; e += blockDim.x) {
    if (view.train.amsgrad) {
      amsgrad(step, r.gradient[e], r.weights[e], r.first[e], r.second[e], r.largest[e]);
    } else {
      adam(step, r.gradient[e], r.weights[e], r.first[e], r.second[e]);
    }
  }
  return before + count;
}

/// Where a layer's parameters are; the weights of all its feeds are contiguous.
struct Tensors {
  std::uint64_t weights, bias;
  unsigned weight_count, units;
};

__device__ inline Tensors tensors_of(const View& view, const LayerNorm& layer) {
  const UpdateJob& first = view.update[layer.first_job];
  Tensors t{first.weights, first.bias, 0, first.units};
  for (unsigned f = 0; f < layer.jobs; ++f) t.weight_count += view.update[layer.first_job + f].inputs * first.units;
  return t;
}

/// Calls f(tensors, number of the layer) for every layer that is trained.
template <class F>
__device__ void for_layers(const View& view, const F& f) {
  for (unsigned layer = 0; layer < view.layers; ++layer) {
    if (view.layer_norms[layer].jobs > 0) f(tensors_of(view, view.layer_norms[layer]), layer);
  }
}

/// The update of all layers: gradients, clipping, Adam.
__device__ inline void update(const View& view, const Resident& r, const Control& control, unsigned member) {
  unsigned before = 0;
  for (unsigned layer = 0; layer < view.layers; ++layer) {
    const LayerNorm norm = view.layer_norms[layer];
    for (unsigned f = 0; f < norm.jobs; ++f) {
      before = gradients(view, r, view.update[norm.first_job + f], control, member, before);
    }
  }
  __syncthreads();
  const float limit = view.info[member].clip;
  if (limit > 0.0F) {
    const unsigned warps = blockDim.x / 32;
    const unsigned warp = threadIdx.x / 32;
    for_layers(view, [&](const Tensors& t, unsigned layer) {
      if (2 * layer % warps == warp) clip(r.gradient + t.weights, t.weight_count, limit);
      if ((2 * layer + 1) % warps == warp) clip(r.gradient + t.bias, t.units, limit);
    });
    __syncthreads();
  }
  before = 0;
  for_layers(view, [&](const Tensors& t, unsigned) {
    before = adam_pass(view, r, control, t.weights, t.weight_count, before);
    before = adam_pass(view, r, control, t.bias, t.units, before);
  });
  __syncthreads();
}

}  // namespace nomu::engine::cuda
