#pragma once
// Four neighbouring floats at a time: the widest access a thread has.

#include "engine/cuda/kernels/ptx.cuh"

namespace nomu::engine::cuda {

struct Quad {
  float value[4];
};

__device__ inline Quad read_quad(const float* from) {
  const float4 v = *reinterpret_cast<const float4*>(from);
  return {{v.x, v.y, v.z, v.w}};
}

__device__ inline void write_quad(float* to, const Quad& quad) {
  *reinterpret_cast<float4*>(to) = make_float4(quad.value[0], quad.value[1], quad.value[2], quad.value[3]);
}

/// The same for numbers that are not needed again soon: they do not evict others from the caches.
__device__ inline Quad read_quad_once(const float* from) {
  const float4 v = __ldcs(reinterpret_cast<const float4*>(from));
  return {{v.x, v.y, v.z, v.w}};
}

__device__ inline void write_quad_once(float* to, const Quad& quad) {
  __stcs(reinterpret_cast<float4*>(to), make_float4(quad.value[0], quad.value[1], quad.value[2], quad.value[3]));
}

/// To global memory in one instruction; the compiler would sometimes write the four one by one.
__device__ inline void write_quad_together(float* to, const Quad& quad) { store_16(to, quad.value); }

/// Each rounded to TF32.
__device__ inline Quad rounded(const Quad& quad) {
  return {{to_tf32(quad.value[0]), to_tf32(quad.value[1]), to_tf32(quad.value[2]), to_tf32(quad.value[3])}};
}

/// The first `count` of four floats that may lie anywhere.
__device__ inline Quad read_some(const float* from, unsigned count) {
  Quad quad{};
#pragma unroll
  for (unsigned e = 0; e < 4; ++e) {
    if (e < count) quad.value[e] = from[e];
  }
  return quad;
}

__device__ inline void write_some(float* to, const Quad& quad, unsigned count) {
#pragma unroll
  for (unsigned e = 0; e < 4; ++e) {
    if (e < count) to[e] = quad.value[e];
  }
}

}  // namespace nomu::engine::cuda
