#pragma once
// Stands in for the machine instructions of the kernels on the host.

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

namespace nomu::engine::cuda {

inline float* shared_memory() { return cuda_on_host::shared_memory(); }

inline void copy_16(float* to, const float* from, unsigned bytes) { cuda_on_host::copy_later(to, from, bytes, 16); }
inline void copy_whole(float* to, const float* from) { copy_16(to, from, 16); }
inline void copy_4(float* to, const float* from, unsigned bytes) { cuda_on_host::copy_later(to, from, bytes, 4); }
inline void store_16(float* to, const float (&from)[4]) { std::memcpy(to, from, sizeof from); }
inline void commit_copies() { cuda_on_host::close_copies(); }

template <int pending>
void wait_copies() {
  cuda_on_host::finish_copies(pending);
}

inline void fetch_line(const float*) {}

inline float to_tf32(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  if ((bits & 0x7F800000U) != 0x7F800000U) bits = (bits + 0x1000U) & ~0x1FFFU;
  std::memcpy(&value, &bits, sizeof bits);
  return value;
}

inline void multiply_add(float (&c)[4], const float (&a)[4], const float (&b)[2]) {
  struct Lane {
    float a[4], b[2];
  };
  const unsigned lane = threadIdx.x % 32;
  auto* mine = static_cast<Lane*>(cuda_on_host::exchange(lane, sizeof(Lane)));
  std::memcpy(mine->a, a, sizeof a);
  std::memcpy(mine->b, b, sizeof b);
  cuda_on_host::wait_for_warp();
  const auto* lanes = static_cast<const Lane*>(cuda_on_host::exchange(0, sizeof(Lane)));
  const unsigned group = lane / 4;
  const unsigned place = lane % 4;
  for (unsigned e = 0; e < 4; ++e) {
    const unsigned half = e / 2;
    const unsigned n = 2 * place + e % 2;
    float sum = c[e];
    for (unsigned k = 0; k < 8; ++k) {
      const float left = lanes[4 * group + k % 4].a[half + 2 * (k / 4)];
      const float right = lanes[4 * n + k % 4].b[k / 4];
      sum += left * right;
    }
    c[e] = sum;
  }
  cuda_on_host::wait_for_warp();
}

template <class T>
T warp_sum(T value) {
  const unsigned lane = threadIdx.x % 32;
  for (unsigned distance = 16; distance > 0; distance /= 2) {
    *static_cast<T*>(cuda_on_host::exchange(lane, sizeof(T))) = value;
    cuda_on_host::wait_for_warp();
    value += *static_cast<const T*>(cuda_on_host::exchange(lane ^ distance, sizeof(T)));
    cuda_on_host::wait_for_warp();
  }
  return value;
}

}  // namespace nomu::engine::cuda
