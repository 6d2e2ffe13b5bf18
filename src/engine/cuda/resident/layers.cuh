#pragma once
// The layers of a network in shared memory: values, outputs and deltas of all its rows. What the tables say about a job
// is copied before its loops: the compiler cannot know that writing values does not change the tables, and would read
// them again for every number.

#include "engine/cuda/kernels/deltas.cuh"
#include "engine/cuda/kernels/quads.cuh"
#include "engine/sampling.hpp"

namespace nomu::engine::cuda {

/// A member in shared memory.
struct Resident {
  float *weights, *first, *second, *largest, *gradient;  ///< [parameters]; largest may be null
  float* values;                                         ///< a workspace
  std::uint32_t* index;                                  ///< [most_rows]
  std::uint32_t* order;                                  ///< [most_data_rows]; null without batches
};

/// Adds the products of four rows with one column of weights, term by term.
__device__ inline void add_products(float (&sum)[4], const Segment& segment, const float* values,
                                    const float* weights) {
  const unsigned ld = segment.values_ld;
  const unsigned step = segment.weight_ld;
  unsigned k = 0;
  for (; k + 4 <= segment.depth; k += 4) {
    Quad row[4];
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) row[i] = read_quad(values + i * ld + k);
#pragma unroll
    for (unsigned e = 0; e < 4; ++e) {
      const float weight = weights[(k + e) * step];
#pragma unroll
      for (unsigned i = 0; i < 4; ++i) sum[i] = fmaf(row[i].value[e], weight, sum[i]);
    }
  }
  for (; k < segment.depth; ++k) {
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) sum[i] = fmaf(values[i * ld + k], weights[k * step], sum[i]);
  }
}

/// Values of a hidden layer, four rows of one unit at a time; rows beyond the last are computed and not kept.
__device__ inline void forward(const View& view, const Resident& r, const ForwardJob job, const Control control,
                               unsigned member) {
  const float rate = control.masks == Masks::none ? 0.0F : view.dropout[job.layer * view.members + member];
  const DropoutMask mask = training_mask(view.info[member].seed, job.layer, control.step, rate);
  const Segment first = view.segments[job.first_segment];
  const unsigned groups = (control.rows + 3) / 4;
  for (unsigned e = threadIdx.x; e < groups * job.units; e += blockDim.x) {
    const unsigned unit = e % job.units;
    const unsigned row = e / job.units * 4;
    float sum[4] = {};
    for (unsigned s = 0; s < job.segments; ++s) {
      const Segment segment = s == 0 ? first : view.segments[job.first_segment + s];
      add_products(sum, segment, r.values + segment.values + std::size_t{row} * segment.values_ld,
                   r.weights + segment.weights + unit);
    }
    const float bias = r.weights[job.bias + unit];
    for (unsigned i = 0; i < 4 && row + i < control.rows; ++i) {
      float value = activate(job.activation, sum[i] + bias);
      if (rate > 0.0F) value = mask.keeps(std::uint64_t{row + i} * job.units + unit) ? value * mask.scale() : 0.0F;
      r.values[job.out + std::size_t{row + i} * job.out_ld + unit] = value;
    }
  }
}

/// The derivatives by four neighbouring units' values in a row that come from other hidden layers.
__device__ inline Quad from_layers(const View& view, const Resident& r, const BackwardJob& job, const Control& control,
                                   unsigned row, unsigned unit) {
  Quad delta{};
  for (unsigned s = 0; s < job.segments; ++s) {
    const Segment segment = view.segments[job.first_segment + s];
    if (segment.data_rows_only && row >= control.data_rows) continue;
    const float* w = r.weights + segment.weights + std::size_t{unit} * segment.weight_ld;
    const float* d = r.values + segment.values + std::size_t{row} * segment.values_ld;
    for (unsigned k = 0; k < segment.depth; ++k) {
      const float from = d[k];
#pragma unroll
      for (unsigned e = 0; e < 4; ++e) delta.value[e] = fmaf(from, w[e * segment.weight_ld + k], delta.value[e]);
    }
  }
  return delta;
}

/// Deltas of a hidden layer, four units of a row at a time; those beyond its last unit fall into the row's padding.
__device__ inline void backward(const View& view, const Resident& r, const BackwardJob job, const Control control,
                                unsigned member) {
  constexpr unsigned copied = 2;  // heads that read a layer; there may be more
  const float rate = control.masks == Masks::none ? 0.0F : view.dropout[job.layer * view.members + member];
  const DropoutMask mask = training_mask(view.info[member].seed, job.layer, control.step, rate);
  const bool masked = rate > 0.0F && job.activation != Activation::relu;
  HeadTerm terms[copied]{};
  for (unsigned h = 0; h < copied && h < job.terms; ++h) terms[h] = view.terms[job.first_term + h];
  const unsigned rows = job.data_rows_only ? control.data_rows : control.rows;
  const unsigned quads = (job.units + 3) / 4;
  for (unsigned e = threadIdx.x; e < rows * quads; e += blockDim.x) {
    const unsigned unit = e % quads * 4;
    const unsigned row = e / quads;
    const std::size_t place = std::size_t{row} * job.ld + unit;
    Quad delta = from_layers(view, r, job, control, row, unit);
    const Quad values = read_quad(r.values + job.values + place);
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
      float heads = 0.0F;
#pragma unroll
      for (unsigned h = 0; h < copied; ++h) {
        if (h < job.terms) heads = from_head(heads, terms[h], control, r.weights, r.values, row, unit + i);
      }
      for (unsigned h = copied; h < job.terms; ++h) {
        heads = from_head(heads, view.terms[job.first_term + h], control, r.weights, r.values, row, unit + i);
      }
      const bool kept = !masked || mask.keeps(std::uint64_t{row} * job.units + unit + i);
      delta.value[i] = through_activation(job.activation, values.value[i], delta.value[i] + heads, rate, kept);
    }
    write_quad(r.values + job.out + place, delta);
  }
}

/// All outputs of a row, by one thread.
__device__ inline void row_outputs(const View& view, const Resident& r, unsigned row, float* out) {
  for (unsigned k = 0; k < view.outputs; ++k) {
    const Output output = view.output[k];
    float sum = r.weights[output.bias];
    for (unsigned s = 0; s < output.segments; ++s) {
      const Segment segment = view.segments[output.first_segment + s];
      const float* v = r.values + segment.values + std::size_t{row} * segment.values_ld;
      const float* w = r.weights + segment.weights;
      unsigned u = 0;
      for (; u + 4 <= segment.depth; u += 4) {
        const Quad values = read_quad(v + u);
#pragma unroll
        for (unsigned e = 0; e < 4; ++e) sum = fmaf(values.value[e], w[(u + e) * segment.weight_ld], sum);
      }
      for (; u < segment.depth; ++u) sum = fmaf(v[u], w[u * segment.weight_ld], sum);
    }
    out[k] = sum;
  }
}

}  // namespace nomu::engine::cuda
