#pragma once
// Matrix products come from libraries: one file per provider, all behind one function. It is always single-threaded;
// the engine's own threads call it on tiles, which keeps results independent of the number of threads.

#include <cstddef>

namespace nomu::engine::cpu {

enum class Transpose { no, yes };

/// Row-major c[m][n] = op(a)[m][k] op(b)[k][n] (+ c if accumulate), with leading dimensions in floats.
using Multiply = void (*)(Transpose trans_a, Transpose trans_b, std::size_t m, std::size_t n, std::size_t k,
                          const float* a, std::size_t lda, const float* b, std::size_t ldb, bool accumulate, float* c,
                          std::size_t ldc);

struct GemmProvider {
  const char* name;
  Multiply multiply;
};

/// oneDNN, or nullptr in a build without it.
[[nodiscard]] const GemmProvider* onednn_provider();

/// While it exists, providers called from this thread use no threads of their own.
class SingleThreaded {
 public:
  SingleThreaded();
  SingleThreaded(const SingleThreaded&) = delete;
  SingleThreaded& operator=(const SingleThreaded&) = delete;
  SingleThreaded(SingleThreaded&&) = delete;
  SingleThreaded& operator=(SingleThreaded&&) = delete;
  ~SingleThreaded();

 private:
  [[maybe_unused]] int before_ = 0;
};

/// The same until this thread ends.
inline void keep_single_threaded() {
  thread_local const SingleThreaded scope;
  static_cast<void>(scope);
}

}  // namespace nomu::engine::cpu
