// Sixteen floats at a time, the same lanes on every instruction set.

// NOLINTBEGIN
namespace nomu::engine::cpu::NOMU_ISA {
namespace {

typedef float Lanes __attribute__((vector_size(64)));
constexpr std::size_t lanes = 16;

// Rows begin anywhere, so memory holds lanes without their alignment. Values must keep it: a compiler may spill them by
// aligned moves, which fault where a variable claims to need less (g++ 12.4 under AddressSanitizer).
typedef float LanesInMemory __attribute__((vector_size(64), aligned(4)));

inline Lanes load(const float* p) { return *reinterpret_cast<const LanesInMemory*>(p); }

inline void store(float* p, const Lanes& v) { *reinterpret_cast<LanesInMemory*>(p) = v; }

inline float total(const Lanes& v) {
  const auto eight = __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7) +
                     __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
  const auto four =
      __builtin_shufflevector(eight, eight, 0, 1, 2, 3) + __builtin_shufflevector(eight, eight, 4, 5, 6, 7);
  return (four[0] + four[2]) + (four[1] + four[3]);
}

/// Calls f(j) for groups of 16 columns that cover [0, width); the last group may overlap the one before it, so
/// calling f twice must be harmless. False if the width is less than one group.
template <class F>
inline bool over_groups(std::size_t width, const F& f) {
  if (width < lanes) return false;
  std::size_t j = 0;
  for (; j + lanes <= width; j += lanes) f(j);
  if (j < width) f(width - lanes);
  return true;
}

inline float dot(const float* a, const float* b, std::size_t n) {
  Lanes sum0 = {}, sum1 = {};
  std::size_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    sum0 += load(a + i) * load(b + i);
    sum1 += load(a + i + lanes) * load(b + i + lanes);
  }
  for (; i + lanes <= n; i += lanes) sum0 += load(a + i) * load(b + i);
  float tail = 0.0F;
  for (; i < n; ++i) tail += a[i] * b[i];
  return total(sum0 + sum1) + tail;
}

}  // namespace
}  // namespace nomu::engine::cpu::NOMU_ISA
// NOLINTEND
