#pragma once
// Memory of the CPU engine: blocks of floats that start at a cache line.

#include <cstddef>
#include <new>
#include <vector>

namespace nomu::engine::cpu {

template <class T>
struct LineAllocator {
  using value_type = T;
  LineAllocator() = default;
  template <class U>
  LineAllocator(const LineAllocator<U>& /*other*/) {}  // NOLINT(google-explicit-constructor)
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{64})); }
  void deallocate(T* p, std::size_t /*n*/) { ::operator delete (p, std::align_val_t{64}); }
  friend bool operator==(const LineAllocator& /*a*/, const LineAllocator& /*b*/) { return true; }
};

using Floats = std::vector<float, LineAllocator<float>>;

}  // namespace nomu::engine::cpu
