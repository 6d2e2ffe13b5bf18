#pragma once
// The few machine instructions that CUDA C++ has no name for, and whatever else ties the kernels to the machine.

#include <cuda_runtime.h>

#include <cstdint>

namespace nomu::engine::cuda {

/// Dynamic shared memory of the block.
__device__ inline float* shared_memory() {
  extern __shared__ __align__(16) float memory[];
  return memory;
}

/// Copies `bytes` (0 to 16) to shared memory asynchronously and fills up to 16 with zeros; both sides aligned to 16.
__device__ inline void copy_16(float* to, const float* from, unsigned bytes) {
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(bytes) : "memory");
}

/// The same for exactly 16 bytes.
__device__ inline void copy_whole(float* to, const float* from) {
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
}

/// The same for 4 bytes, or zeros.
__device__ inline void copy_4(float* to, const float* from, unsigned bytes) {
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(address), "l"(from), "r"(bytes) : "memory");
}

/// Writes four floats to global memory by one instruction; aligned to 16 bytes.
__device__ inline void store_16(float* to, const float (&from)[4]) {
  asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(from[0]), "f"(from[1]), "f"(from[2]),
               "f"(from[3])
               : "memory");
}

/// Closes a group of copies.
__device__ inline void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }

/// Waits until at most `pending` groups are in progress.
template <int pending>
__device__ inline void wait_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

/// Prefetches a cache line into the cache that all processors share.
__device__ inline void fetch_line(const float* from) { asm volatile("prefetch.global.L2 [%0];" ::"l"(from)); }

/// Rounded to the 11 significant bits of TF32.
__device__ inline float to_tf32(float value) {
  std::uint32_t bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
  return __uint_as_float(bits);
}

/// c += a b on 16 x 8 x 8, distributed over a warp: lane 4 g + t holds a at (g, t), (g + 8, t), (g, t + 4), (g + 8, t +
/// 4), b at (t, g), (t + 4, g) and c at (g, 2 t), (g, 2 t + 1), (g + 8, 2 t), (g + 8, 2 t + 1).
__device__ inline void multiply_add(float (&c)[4], const float (&a)[4], const float (&b)[2]) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])), "r"(__float_as_uint(a[3])),
        "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])));
}

/// Sum over the lanes of a warp, the same in every lane.
template <class T>
__device__ inline T warp_sum(T value) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(0xFFFFFFFFU, value, distance);
  return value;
}

}  // namespace nomu::engine::cuda
