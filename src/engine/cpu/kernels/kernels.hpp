#pragma once
// The training step's own loops. Written once in kernels.inl, compiled once per instruction set; the table for the best
// instruction set of this processor is picked at run time.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/philox.hpp"
#include "engine/cpu/kernels/gemm.hpp"
#include "engine/math.hpp"

namespace nomu::engine::cpu {

/// A few rows of one tensor and the moments that go with them; `keep` receives the parameters a snapshot keeps.
struct UpdateRows {
  float* weight;  ///< [rows][width]
  float* first;   ///< the moments, of the same shape
  float* second;
  float* largest;  ///< AMSGrad's; nullptr: plain Adam
  float* keep;     ///< nullptr: nothing is kept
  bool keep_updated;
  float shrink;  ///< 2 * l2
  float clip;    ///< factor on the gradient, 1 if nothing is clipped
  AdamStep<float> adam;
};

struct Kernels {
  const char* isa;

  /// y[r][j] = act(y[r][j] + bias[j]) on a tile [rows][width] of leading dimension ld.
  void (*bias_activate)(Activation kind, float* y, std::size_t ld, std::size_t rows, std::size_t width,
                        const float* bias);

  /// y[r][j] = act(bias[j] + sum_k x[r][k] w[k][j]) for few columns k.
  void (*narrow_forward)(Activation kind, const float* x, std::size_t k, std::size_t ldx, const float* w,
                         std::size_t ldw, const float* bias, float* y, std::size_t ldy, std::size_t rows,
                         std::size_t width);

  /// delta *= gain * slope at the activated values times `unscale`, on a tile; both factors are 1 without dropout.
  void (*apply_slope)(Activation kind, const float* activated, float* delta, std::size_t ld, std::size_t rows,
                      std::size_t width, float unscale, float gain);

  /// out[r * ldo] += sum_u h[r][u] w[u * ldw]: one output of a head.
  void (*head_forward)(const float* h, std::size_t ldh, const float* w, std::size_t ldw, float* out, std::size_t ldo,
                       std::size_t rows, std::size_t units);

  /// delta[r][u] (+)= d[r * ldd] w[u * ldw] on a tile of units; if `relu` is given, the result is zero
  /// where these activated values are, which saves a pass of apply_slope.
  void (*head_backward)(const float* d, std::size_t ldd, const float* w, std::size_t ldw, float* delta, std::size_t ld,
                        std::size_t rows, std::size_t units, bool accumulate, const float* relu);

  /// g[u * ldg] = sum_r h[r][u] d[r * ldd]: the gradient of one column of head weights.
  void (*head_gradient)(const float* h, std::size_t ldh, const float* d, std::size_t ldd, float* g, std::size_t ldg,
                        std::size_t rows, std::size_t units);

  /// g[u][j] = sum_r x[r][u] d[r][j] for few units u; g is dense.
  void (*narrow_gradient)(const float* x, std::size_t ldx, const float* d, std::size_t ldd, float* g, std::size_t rows,
                          std::size_t units, std::size_t width);

  /// g[j] = sum_r d[r][j].
  void (*column_sums)(const float* d, std::size_t ld, float* g, std::size_t rows, std::size_t width);

  /// Adam on `rows` rows with their gradient given, [rows][width]; returns the sum of squares of the new weights.
  double (*update)(const UpdateRows& u, const float* gradient, std::size_t rows, std::size_t width);

  /// The same with the gradient of rank at most `max_rank`: row i's is sum_r h[r][i] d[r][:], never stored beyond a
  /// row. If `back` is given, back[r][i] (+)= sum_j d[r][j] w[i][j] with the weights before the update.
  double (*low_rank_update)(const UpdateRows& u, const float* h, std::size_t ldh, const float* d, std::size_t ldd,
                            std::size_t rank, float* back, std::size_t ldb, bool accumulate, std::size_t rows,
                            std::size_t width, float* scratch);

  /// Sum of squares of [rows][width], in the order `update` adds them.
  double (*sum_squares)(const float* values, std::size_t ld, std::size_t rows, std::size_t width);

  /// Sum of squares of gradient + shrink * weight, dense.
  double (*gradient_squares)(const float* gradient, const float* weight, float shrink, std::size_t count);

  /// Multiplies rows [row, end_row) and columns [first, first + width) of y by their dropout mask, which is
  /// numbered as [..][units] whatever the leading dimension.
  void (*drop)(const PhiloxStream& stream, float rate, float* y, std::size_t units, std::size_t ld, std::size_t row,
               std::size_t end_row, std::size_t first, std::size_t width);

  /// count uniform numbers in [0, 1) of a stream from its start.
  void (*uniform)(const PhiloxStream& stream, float* out, std::size_t count);

  const GemmProvider* eigen;
};

inline constexpr std::size_t max_rank = 16;

/// The table for "auto", "baseline", "avx2" or "avx512"; throws ConfigError if this processor or build lacks it.
[[nodiscard]] const Kernels& kernels_for(std::string_view isa);

/// Names of the tables that this processor can run, best first.
[[nodiscard]] std::vector<std::string_view> usable_isas();

}  // namespace nomu::engine::cpu
