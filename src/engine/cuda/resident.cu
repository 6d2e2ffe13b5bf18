// Networks that fit into the shared memory of one processor: a block of threads takes a member through many rounds
// without leaving the chip. Parameters, moments, gradients and all values of a step stay in shared memory; sums are
// plain single precision. The same tables as everywhere describe the networks.

#include <cmath>

#include "engine/cuda/deltas.cuh"
#include "engine/cuda/heads.cuh"
#include "engine/cuda/kernels.hpp"
#include "engine/cuda/launch.cuh"
#include "engine/cuda/rounds.cuh"

namespace nomu::engine::cuda {
namespace {

constexpr unsigned resident_threads = 512;

/// A member in shared memory.
struct Resident {
  float *weights, *first, *second, *largest, *gradient;  ///< [parameters]; largest may be null
  float* values;                                         ///< a workspace
  std::uint32_t* index;                                  ///< [most_rows]
  std::uint32_t* order;                                  ///< [most_data_rows]; null without batches
};

__device__ Resident place(const View& view) {
  Resident r{};
  float* next = shared_memory();
  const auto take = [&next](std::uint64_t count) {
    float* begin = next;
    next += (count + 3) / 4 * 4;
    return begin;
  };
  r.values = take(view.workspace);
  r.weights = take(view.parameters);
  r.first = take(view.parameters);
  r.second = take(view.parameters);
  r.gradient = take(view.parameters);
  if (view.train.amsgrad) r.largest = take(view.parameters);
  r.index = reinterpret_cast<std::uint32_t*>(take(view.most_rows));
  if (view.order != nullptr) r.order = reinterpret_cast<std::uint32_t*>(take(view.most_data_rows));
  return r;
}

template <class T>
__device__ void copy(T* to, const T* from, std::uint64_t count) {
  for (std::uint64_t e = threadIdx.x; e < count; e += blockDim.x) to[e] = from[e];
}

/// Values of a hidden layer, four rows of one unit at a time.
__device__ void forward(const View& view, const Resident& r, const ForwardJob& job, const Control& control,
                        unsigned member) {
  const float rate = control.masks == Masks::none ? 0.0F : view.dropout[job.net * view.members + member];
  const DropoutMask mask = training_mask(view.info[member].seed, job.layer, control.step, rate);
  const unsigned groups = (control.rows + 3) / 4;
  for (unsigned e = threadIdx.x; e < groups * job.units; e += blockDim.x) {
    const unsigned unit = e % job.units;
    const unsigned row = e / job.units * 4;
    float sum[4] = {};
    for (unsigned s = 0; s < job.segments; ++s) {
      const Segment& segment = view.segments[job.first_segment + s];
      const float* w = r.weights + segment.weights + unit;
      const float* v = r.values + segment.values + std::size_t{row} * segment.values_ld;
      for (unsigned k = 0; k < segment.depth; ++k) {
        const float weight = w[std::size_t{k} * segment.weight_ld];
#pragma unroll
        for (unsigned i = 0; i < 4; ++i) {
          if (row + i < control.rows) sum[i] = fmaf(v[i * segment.values_ld + k], weight, sum[i]);
        }
      }
    }
    const float bias = r.weights[job.bias + unit];
    for (unsigned i = 0; i < 4 && row + i < control.rows; ++i) {
      float value = activate(job.activation, sum[i] + bias);
      if (rate > 0.0F) value = mask.keeps(std::uint64_t{row + i} * job.units + unit) ? value * mask.scale() : 0.0F;
      r.values[job.out + std::size_t{row + i} * job.out_ld + unit] = value;
    }
  }
}

/// Deltas of a hidden layer.
__device__ void backward(const View& view, const Resident& r, const BackwardJob& job, const Control& control,
                         unsigned member) {
  const float rate = control.masks == Masks::none ? 0.0F : view.dropout[job.net * view.members + member];
  const DropoutMask mask = training_mask(view.info[member].seed, job.layer, control.step, rate);
  const unsigned rows = job.data_rows_only ? control.data_rows : control.rows;
  for (unsigned e = threadIdx.x; e < rows * job.units; e += blockDim.x) {
    const unsigned unit = e % job.units;
    const unsigned row = e / job.units;
    float delta = 0.0F;
    for (unsigned s = 0; s < job.segments; ++s) {
      const Segment& segment = view.segments[job.first_segment + s];
      if (segment.data_rows_only && row >= control.data_rows) continue;
      const float* w = r.weights + segment.weights + std::size_t{unit} * segment.weight_ld;
      const float* d = r.values + segment.values + std::size_t{row} * segment.values_ld;
      for (unsigned k = 0; k < segment.depth; ++k) delta = fmaf(d[k], w[k], delta);
    }
    delta += from_heads(view, job, control, r.weights, r.values, row, unit);
    const float value = r.values[job.values + std::size_t{row} * job.ld + unit];
    const bool masked = rate > 0.0F && job.activation != Activation::relu;
    const bool kept = !masked || mask.keeps(std::uint64_t{row} * job.units + unit);
    r.values[job.out + std::size_t{row} * job.ld + unit] = through_activation(job.activation, value, delta, rate, kept);
  }
}

/// The gradient of one feed, or of a layer's bias where `bias` is set.
__device__ void gradients(const View& view, const Resident& r, const UpdateJob& job, const Control& control,
                          unsigned member, bool bias) {
  const unsigned rows = job.data_rows_only ? control.data_rows : control.rows;
  const float shrink = 2.0F * view.l2[job.l2 * view.members + member];
  const unsigned weights = job.inputs * job.units;
  for (unsigned e = threadIdx.x; e < weights + (bias ? job.units : 0); e += blockDim.x) {
    const bool of_bias = e >= weights;
    const unsigned unit = of_bias ? e - weights : e % job.units;
    const float* d = r.values + job.delta + unit;
    const float* v = r.values + job.values + (of_bias ? 0 : e / job.units);
    float sum[4] = {};
    for (unsigned row = 0; row < rows; row += 4) {
#pragma unroll
      for (unsigned i = 0; i < 4; ++i) {
        if (row + i >= rows) continue;
        const float input = of_bias ? 1.0F : v[std::size_t{row + i} * job.values_ld];
        sum[i] = fmaf(input, d[std::size_t{row + i} * job.delta_ld], sum[i]);
      }
    }
    const std::uint64_t place = of_bias ? job.bias + unit : job.weights + e;
    r.gradient[place] = (sum[0] + sum[1]) + (sum[2] + sum[3]) + shrink * r.weights[place];
  }
}

/// Shortens the gradient of a tensor to the member's clip norm.
__device__ void clip(float* gradient, unsigned count, float limit) {
  __shared__ float factor;
  float part = 0.0F;
  for (unsigned e = threadIdx.x; e < count; e += blockDim.x) part = fmaf(gradient[e], gradient[e], part);
  const double length = sqrt(block_sum(static_cast<double>(part)));
  if (threadIdx.x == 0)
    factor = length > static_cast<double>(limit) ? static_cast<float>(static_cast<double>(limit) / length) : 1.0F;
  __syncthreads();
  const float shorter = factor;
  if (shorter == 1.0F) return;
  for (unsigned e = threadIdx.x; e < count; e += blockDim.x) gradient[e] *= shorter;
}

__device__ void adam_pass(const View& view, const Resident& r, const Control& control, std::uint64_t begin,
                          std::uint64_t count) {
  const AdamStep<float> step{control.rate, static_cast<float>(view.train.beta1), static_cast<float>(view.train.beta2),
                             static_cast<float>(view.train.epsilon)};
  for (std::uint64_t e = begin + threadIdx.x; e < begin + count; e += blockDim.x) {
    if (view.train.amsgrad) {
      amsgrad(step, r.gradient[e], r.weights[e], r.first[e], r.second[e], r.largest[e]);
    } else {
      adam(step, r.gradient[e], r.weights[e], r.first[e], r.second[e]);
    }
  }
}

/// The update of one layer: gradients, clipping, Adam. No other layer looks at these weights any more.
__device__ void update(const View& view, const Resident& r, const LayerNorm& layer, const Control& control,
                       unsigned member) {
  for (unsigned f = 0; f < layer.jobs; ++f) {
    gradients(view, r, view.update[layer.first_job + f], control, member, f == 0);
  }
  __syncthreads();
  const UpdateJob& first = view.update[layer.first_job];
  unsigned weights = 0;
  for (unsigned f = 0; f < layer.jobs; ++f) weights += view.update[layer.first_job + f].inputs * first.units;
  const float limit = view.info[member].clip;
  if (limit > 0.0F) {
    clip(r.gradient + first.weights, weights, limit);
    clip(r.gradient + first.bias, first.units, limit);
    __syncthreads();
  }
  adam_pass(view, r, control, first.weights, weights);
  adam_pass(view, r, control, first.bias, first.units);
}

/// L2 penalty of the weights in shared memory.
__device__ double penalty(const View& view, const Resident& r, unsigned member) {
  double sum = 0.0;
  for (unsigned j = 0; j < view.update_jobs; ++j) {
    const UpdateJob& job = view.update[j];
    const auto l2 = static_cast<double>(view.l2[job.l2 * view.members + member]);
    if (l2 == 0.0) continue;
    float part = 0.0F;
    const float* w = r.weights + job.weights;
    for (unsigned e = threadIdx.x; e < job.inputs * job.units; e += blockDim.x) part = fmaf(w[e], w[e], part);
    const float* b = r.weights + job.bias;
    for (unsigned e = threadIdx.x; job.first && e < job.units; e += blockDim.x) part = fmaf(b[e], b[e], part);
    sum += l2 * static_cast<double>(part);
  }
  return block_sum(sum);
}

/// Sum of the losses of a round's rows.
__device__ double row_losses(const View& view, const Resident& r, const Control& control, unsigned member) {
  double sum = 0.0;
  for (unsigned row = threadIdx.x / 32; row < control.rows; row += blockDim.x / 32) {
    sum += row_loss_of(view, control, member, r.weights, r.values, r.index, row);
  }
  return block_sum(sum);
}

/// Forward and loss of a round, and what they decide.
__device__ void evaluate(const View& view, const Resident& r, unsigned member, MemberState& state, Control& control) {
  for (unsigned j = 0; j < view.forward_jobs; ++j) {
    forward(view, r, view.forward[j], control, member);
    __syncthreads();
  }
  const double rows = row_losses(view, r, control, member);
  const double squares = penalty(view, r, member);
  if (threadIdx.x == 0) decide(view, member, state, control, rows, squares);
  __syncthreads();
}

__device__ void improve(const View& view, const Resident& r, unsigned member, const Control& control) {
  for (unsigned j = 0; j < view.backward_jobs; ++j) {
    backward(view, r, view.backward[j], control, member);
    __syncthreads();
  }
  for (unsigned layer = 0; layer < view.layers; ++layer) {
    if (view.layer_norms[layer].jobs > 0) update(view, r, view.layer_norms[layer], control, member);
  }
  __syncthreads();
}

__global__ void __launch_bounds__(resident_threads) resident_kernel(const View view, unsigned rounds) {
  __shared__ Control control;
  __shared__ MemberState state;
  const unsigned member = blockIdx.x;
  const std::uint64_t own = member * view.parameters;
  if (threadIdx.x == 0) state = view.state[member];
  __syncthreads();
  if (!state.course.active() || state.course.epochs >= state.target) return;
  const Resident r = place(view);
  float* kept = view.weights_of(state.best, member);
  copy(r.weights, view.weights_of(0, member), view.parameters);
  copy(r.first, view.first + own, view.parameters);
  copy(r.second, view.second + own, view.parameters);
  if (r.largest != nullptr) copy(r.largest, view.largest + own, view.parameters);
  if (r.order != nullptr) copy(r.order, view.order + std::size_t{member} * view.most_data_rows, view.most_data_rows);
  for (unsigned round = 0; round < rounds; ++round) {
    begin_round(view, member, state, control, r.order, r.values + view.x, r.index);
    __syncthreads();
    if (control.rows == 0) break;
    evaluate(view, r, member, state, control);
    if (control.keep == Keep::before_update) copy(kept, r.weights, view.parameters);
    if (control.update == 0) continue;
    improve(view, r, member, control);
    if (control.keep == Keep::after_update) copy(kept, r.weights, view.parameters);
  }
  __syncthreads();
  copy(view.weights_of(0, member), r.weights, view.parameters);
  copy(view.first + own, r.first, view.parameters);
  copy(view.second + own, r.second, view.parameters);
  if (r.largest != nullptr) copy(view.largest + own, r.largest, view.parameters);
  if (r.order != nullptr) copy(view.order + std::size_t{member} * view.most_data_rows, r.order, view.most_data_rows);
  if (threadIdx.x == 0) view.state[member] = state;
}

}  // namespace

std::size_t resident_bytes(const ResidentSize& size) {
  const auto padded = [](std::size_t count) { return (count + 3) / 4 * 4; };
  return sizeof(float) * (padded(size.workspace) + (size.amsgrad ? 5 : 4) * padded(size.parameters) +
                          padded(size.rows) + padded(size.ordered_rows));
}

void prepare_resident(std::size_t bytes) { allow_shared(resident_kernel, static_cast<unsigned>(bytes)); }

void start_resident(const View& view, std::uint32_t rounds, std::size_t bytes, cudaStream_t stream) {
  launch(resident_kernel, view.members, resident_threads, static_cast<unsigned>(bytes), stream, view, rounds);
}

}  // namespace nomu::engine::cuda
