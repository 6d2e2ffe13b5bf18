#pragma once
/// Memory that the system hands out as zeros. Large blocks of it are filled page by page, by whichever thread writes to
/// a page first, instead of by one thread beforehand.

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace nomu {

/// For a std::vector of plain numbers that never grows: its elements are zero from the start.
template <class T>
struct ZeroedAllocator {
  static_assert(std::is_arithmetic_v<T> && alignof(T) <= alignof(std::max_align_t));
  using value_type = T;

  ZeroedAllocator() = default;
  template <class U>
  explicit ZeroedAllocator(const ZeroedAllocator<U>& /*other*/) {}

  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    void* memory = std::calloc(count, sizeof(T));  // NOLINT(cppcoreguidelines-no-malloc): nothing else gives zeros
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t /*count*/) {
    std::free(memory);  // NOLINT(cppcoreguidelines-no-malloc)
  }

  /// Zero already.
  void construct(T* /*at*/) {}
  template <class... Args>
  void construct(T* at, Args&&... args) {
    std::construct_at(at, std::forward<Args>(args)...);
  }

  friend bool operator==(const ZeroedAllocator& /*a*/, const ZeroedAllocator& /*b*/) { return true; }
};

}  // namespace nomu
