// Compiled once per instruction set, inside a namespace of its own (NOMU_ISA). Nothing here may call an inline function
// of another header that the linker could share between instruction sets, hence the plain loops and the local math.
// Sums over columns run over 16 fixed lanes, so that they do not depend on the instruction set's width.

#include "engine/cpu/gemm_eigen.inl"
#include "engine/cpu/kernels.hpp"

// NOLINTBEGIN
namespace nomu::engine::cpu::NOMU_ISA {
namespace {

typedef float Lanes __attribute__((vector_size(64), aligned(4)));
constexpr std::size_t lanes = 16;

inline Lanes load(const float* p) { return *reinterpret_cast<const Lanes*>(p); }

inline void store(float* p, const Lanes& v) { *reinterpret_cast<Lanes*>(p) = v; }

inline float total(const Lanes& v) {
  const auto eight = __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7) +
                     __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
  const auto four =
      __builtin_shufflevector(eight, eight, 0, 1, 2, 3) + __builtin_shufflevector(eight, eight, 4, 5, 6, 7);
  return (four[0] + four[2]) + (four[1] + four[3]);
}

/// Calls f(j) for groups of 16 columns that cover [0, width); the last group may overlap the one before it, so
/// doing f twice must not matter. False where the width is less than one group.
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

inline void activate_row(Activation kind, float* y, std::size_t width) {
  if (kind == Activation::relu) {
#pragma omp simd
    for (std::size_t j = 0; j < width; ++j) y[j] = y[j] > 0.0F ? y[j] : 0.0F;
  } else if (kind == Activation::tanh) {
    for (std::size_t j = 0; j < width; ++j) y[j] = __builtin_tanhf(y[j]);
  } else if (kind == Activation::softplus) {
    for (std::size_t j = 0; j < width; ++j) {
      const float z = y[j];
      y[j] = (z > 0.0F ? z : 0.0F) + __builtin_log1pf(__builtin_expf(z > 0.0F ? -z : z));
    }
  }
}

void bias_activate(Activation kind, float* y, std::size_t ld, std::size_t rows, std::size_t width, const float* bias) {
  for (std::size_t r = 0; r < rows; ++r) {
    float* row = y + r * ld;
    if (kind == Activation::relu) {
#pragma omp simd
      for (std::size_t j = 0; j < width; ++j) {
        const float z = row[j] + bias[j];
        row[j] = z > 0.0F ? z : 0.0F;
      }
    } else {
#pragma omp simd
      for (std::size_t j = 0; j < width; ++j) row[j] += bias[j];
      activate_row(kind, row, width);
    }
  }
}

/// `count` rows against one group of 16 columns: each weight is loaded once for all of them.
template <std::size_t count>
inline void narrow_block(Activation kind, const float* x, std::size_t k, std::size_t ldx, const float* w,
                         std::size_t ldw, const Lanes& bias, float* y, std::size_t ldy) {
  Lanes z[count];
  for (std::size_t r = 0; r < count; ++r) z[r] = bias;
  for (std::size_t i = 0; i < k; ++i) {
    const Lanes wi = load(w + i * ldw);
    for (std::size_t r = 0; r < count; ++r) z[r] += x[r * ldx + i] * wi;
  }
  for (std::size_t r = 0; r < count; ++r) {
    if (kind == Activation::relu) z[r] = z[r] > 0.0F ? z[r] : Lanes{};
    store(y + r * ldy, z[r]);
  }
}

void narrow_forward(Activation kind, const float* x, std::size_t k, std::size_t ldx, const float* w, std::size_t ldw,
                    const float* bias, float* y, std::size_t ldy, std::size_t rows, std::size_t width) {
  const bool done = over_groups(width, [&](std::size_t j) {
    const Lanes b = load(bias + j);
    std::size_t r = 0;
    for (; r + 8 <= rows; r += 8) narrow_block<8>(kind, x + r * ldx, k, ldx, w + j, ldw, b, y + r * ldy + j, ldy);
    for (; r < rows; ++r) narrow_block<1>(kind, x + r * ldx, k, ldx, w + j, ldw, b, y + r * ldy + j, ldy);
  });
  for (std::size_t r = 0; r < rows; ++r) {
    float* row = y + r * ldy;
    for (std::size_t j = 0; !done && j < width; ++j) {
      row[j] = bias[j];
      for (std::size_t i = 0; i < k; ++i) row[j] += x[r * ldx + i] * w[i * ldw + j];
    }
    if (!done || kind != Activation::relu) activate_row(kind, row, width);
  }
}

void apply_slope(Activation kind, const float* activated, float* delta, std::size_t ld, std::size_t rows,
                 std::size_t width, float unscale, float gain) {
  for (std::size_t r = 0; r < rows; ++r) {
    const float* a = activated + r * ld;
    float* d = delta + r * ld;
    if (kind == Activation::relu && gain == 1.0F &&
        over_groups(width, [&](std::size_t j) { store(d + j, load(a + j) > 0.0F ? load(d + j) : Lanes{}); })) {
      continue;
    }
    if (kind == Activation::relu) {
#pragma omp simd
      for (std::size_t j = 0; j < width; ++j) d[j] = a[j] > 0.0F ? gain * d[j] : 0.0F;
    } else if (kind == Activation::tanh) {
#pragma omp simd
      for (std::size_t j = 0; j < width; ++j) d[j] *= gain * (1.0F - unscale * a[j] * unscale * a[j]);
    } else if (kind == Activation::softplus) {
      for (std::size_t j = 0; j < width; ++j) d[j] *= -gain * __builtin_expm1f(-unscale * a[j]);
    } else if (gain != 1.0F) {
      for (std::size_t j = 0; j < width; ++j) d[j] *= gain;
    }
  }
}

/// `count` rows of a head against contiguous weights; `tail` holds the weights beyond the last whole group of 16, in
/// the last lanes of a group that ends with the row.
template <std::size_t count>
inline void head_rows(const float* h, std::size_t ldh, const float* w, const Lanes& tail, float* out, std::size_t ldo,
                      std::size_t units) {
  Lanes sum[count];
  for (std::size_t r = 0; r < count; ++r) sum[r] = load(h + r * ldh + units - lanes) * tail;
  for (std::size_t u = 0; u + lanes <= units; u += lanes) {
    const Lanes wu = load(w + u);
    for (std::size_t r = 0; r < count; ++r) sum[r] += load(h + r * ldh + u) * wu;
  }
  for (std::size_t r = 0; r < count; ++r) out[r * ldo] += total(sum[r]);
}

void head_forward(const float* h, std::size_t ldh, const float* w, std::size_t ldw, float* out, std::size_t ldo,
                  std::size_t rows, std::size_t units) {
  if (ldw == 1 && units >= lanes) {
    Lanes tail = {};
    for (std::size_t i = lanes - units % lanes; i < lanes; ++i) tail[i] = w[units - lanes + i];
    std::size_t r = 0;
    for (; r + 8 <= rows; r += 8) head_rows<8>(h + r * ldh, ldh, w, tail, out + r * ldo, ldo, units);
    for (; r < rows; ++r) head_rows<1>(h + r * ldh, ldh, w, tail, out + r * ldo, ldo, units);
    return;
  }
  for (std::size_t r = 0; r < rows; ++r) {
    float sum = 0.0F;
    for (std::size_t u = 0; u < units; ++u) sum += h[r * ldh + u] * w[u * ldw];
    out[r * ldo] += sum;
  }
}

void head_backward(const float* d, std::size_t ldd, const float* w, std::size_t ldw, float* delta, std::size_t ld,
                   std::size_t rows, std::size_t units, bool accumulate, const float* relu) {
  if (ldw == 1 && !accumulate) {
    const bool done = over_groups(units, [&](std::size_t u) {
      const Lanes wu = load(w + u);
      for (std::size_t r = 0; r < rows; ++r) {
        const Lanes back = d[r * ldd] * wu;
        store(delta + r * ld + u, relu == nullptr ? back : (load(relu + r * ld + u) > 0.0F ? back : Lanes{}));
      }
    });
    if (done) return;
  }
  for (std::size_t r = 0; r < rows; ++r) {
    const float slope = d[r * ldd];
    float* row = delta + r * ld;
    for (std::size_t u = 0; u < units; ++u) {
      const float sum = (accumulate ? row[u] : 0.0F) + slope * w[u * ldw];
      row[u] = relu != nullptr && !(relu[r * ld + u] > 0.0F) ? 0.0F : sum;
    }
  }
}

void head_gradient(const float* h, std::size_t ldh, const float* d, std::size_t ldd, float* g, std::size_t ldg,
                   std::size_t rows, std::size_t units) {
  const bool done = over_groups(units, [&](std::size_t u) {
    Lanes even = {}, odd = {};
    std::size_t r = 0;
    for (; r + 2 <= rows; r += 2) {
      even += d[r * ldd] * load(h + r * ldh + u);
      odd += d[(r + 1) * ldd] * load(h + (r + 1) * ldh + u);
    }
    if (r < rows) even += d[r * ldd] * load(h + r * ldh + u);
    const Lanes sum = even + odd;
    if (ldg == 1) {
      store(g + u, sum);
    } else {
      for (std::size_t i = 0; i < lanes; ++i) g[(u + i) * ldg] = sum[i];
    }
  });
  for (std::size_t u = 0; !done && u < units; ++u) {
    float sum = 0.0F;
    for (std::size_t r = 0; r < rows; ++r) sum += d[r * ldd] * h[r * ldh + u];
    g[u * ldg] = sum;
  }
}

/// `count` units against one group of 16 columns: each delta is loaded once for all of them.
template <std::size_t count>
inline void gradient_block(const float* x, std::size_t ldx, const float* d, std::size_t ldd, float* g, std::size_t rows,
                           std::size_t width) {
  Lanes sum[count] = {};
  for (std::size_t r = 0; r < rows; ++r) {
    const Lanes dr = load(d + r * ldd);
    for (std::size_t u = 0; u < count; ++u) sum[u] += x[r * ldx + u] * dr;
  }
  for (std::size_t u = 0; u < count; ++u) store(g + u * width, sum[u]);
}

void narrow_gradient(const float* x, std::size_t ldx, const float* d, std::size_t ldd, float* g, std::size_t rows,
                     std::size_t units, std::size_t width) {
  const bool done = over_groups(width, [&](std::size_t j) {
    std::size_t u = 0;
    for (; u + 8 <= units; u += 8) gradient_block<8>(x + u, ldx, d + j, ldd, g + u * width + j, rows, width);
    for (; u + 2 <= units; u += 2) gradient_block<2>(x + u, ldx, d + j, ldd, g + u * width + j, rows, width);
    for (; u < units; ++u) gradient_block<1>(x + u, ldx, d + j, ldd, g + u * width + j, rows, width);
  });
  for (std::size_t u = 0; !done && u < units; ++u) {
    for (std::size_t j = 0; j < width; ++j) {
      float sum = 0.0F;
      for (std::size_t r = 0; r < rows; ++r) sum += x[r * ldx + u] * d[r * ldd + j];
      g[u * width + j] = sum;
    }
  }
}

void column_sums(const float* d, std::size_t ld, float* g, std::size_t rows, std::size_t width) {
  const bool done = over_groups(width, [&](std::size_t j) {
    Lanes even = {}, odd = {};
    std::size_t r = 0;
    for (; r + 2 <= rows; r += 2) {
      even += load(d + r * ld + j);
      odd += load(d + (r + 1) * ld + j);
    }
    if (r < rows) even += load(d + r * ld + j);
    store(g + j, even + odd);
  });
  for (std::size_t j = 0; !done && j < width; ++j) {
    g[j] = 0.0F;
    for (std::size_t r = 0; r < rows; ++r) g[j] += d[r * ld + j];
  }
}

/// Adam on one row; the variants are separate loops so that each is straight-line vector code.
inline void update_row(const UpdateRows& u, const float* gradient, std::size_t offset, std::size_t width) {
  float* __restrict w = u.weight + offset;
  float* __restrict m = u.first + offset;
  float* __restrict v = u.second + offset;
  const float* __restrict g = gradient;
  const float b1 = u.adam.beta1, b2 = u.adam.beta2, c1 = 1.0F - u.adam.beta1, c2 = 1.0F - u.adam.beta2;
  const float rate = u.adam.rate, eps = u.adam.epsilon, shrink = u.shrink, clip = u.clip;
  if (u.keep != nullptr && !u.keep_updated) {
    float* __restrict keep = u.keep + offset;
    for (std::size_t j = 0; j < width; ++j) keep[j] = w[j];
  }
  if (u.largest == nullptr) {
#pragma omp simd
    for (std::size_t j = 0; j < width; ++j) {
      const float gj = clip * (g[j] + shrink * w[j]);
      m[j] = b1 * m[j] + c1 * gj;
      v[j] = b2 * v[j] + c2 * gj * gj;
      w[j] -= rate * m[j] / (__builtin_sqrtf(v[j]) + eps);
    }
  } else {
    float* __restrict top = u.largest + offset;
#pragma omp simd
    for (std::size_t j = 0; j < width; ++j) {
      const float gj = clip * (g[j] + shrink * w[j]);
      m[j] = b1 * m[j] + c1 * gj;
      v[j] = b2 * v[j] + c2 * gj * gj;
      top[j] = v[j] > top[j] ? v[j] : top[j];
      w[j] -= rate * m[j] / (__builtin_sqrtf(top[j]) + eps);
    }
  }
  if (u.keep != nullptr && u.keep_updated) {
    float* __restrict keep = u.keep + offset;
    for (std::size_t j = 0; j < width; ++j) keep[j] = w[j];
  }
}

double update(const UpdateRows& u, const float* gradient, std::size_t rows, std::size_t width) {
  double squares = 0.0;
  for (std::size_t i = 0; i < rows; ++i) {
    update_row(u, gradient + i * width, i * width, width);
    if (u.shrink != 0.0F) squares += dot(u.weight + i * width, u.weight + i * width, width);
  }
  return squares;
}

/// Gradient row and products with the old weights in one pass over d, for a compile-time number of rows of d.
template <std::size_t rank, bool with_back>
inline void rank_pass(const float* w, const float* h, std::size_t ldh, const float* d, std::size_t ldd, float* g,
                      float* back, std::size_t width, bool first) {
  Lanes acc[rank] = {};
  float weight[rank];
  for (std::size_t r = 0; r < rank; ++r) weight[r] = h[r * ldh];
  std::size_t j = 0;
  for (; j + lanes <= width; j += lanes) {
    const Lanes wj = load(w + j);
    Lanes sum = {};
    if (!first) sum = load(g + j);
    for (std::size_t r = 0; r < rank; ++r) {
      const Lanes dj = load(d + r * ldd + j);
      sum += weight[r] * dj;
      if (with_back) acc[r] += wj * dj;
    }
    *reinterpret_cast<Lanes*>(g + j) = sum;
  }
  float tail[rank] = {};
  for (; j < width; ++j) {
    float sum = first ? 0.0F : g[j];
    for (std::size_t r = 0; r < rank; ++r) {
      sum += weight[r] * d[r * ldd + j];
      tail[r] += w[j] * d[r * ldd + j];
    }
    g[j] = sum;
  }
  if (with_back) {
    for (std::size_t r = 0; r < rank; ++r) back[r] = total(acc[r]) + tail[r];
  }
}

template <bool with_back>
void low_rank_row(const float* w, const float* h, std::size_t ldh, const float* d, std::size_t ldd, std::size_t rank,
                  float* g, float* products, std::size_t width) {
  std::size_t r = 0;
  for (; r + 8 <= rank; r += 8)
    rank_pass<8, with_back>(w, h + r * ldh, ldh, d + r * ldd, ldd, g, products + r, width, r == 0);
  for (; r + 4 <= rank; r += 4)
    rank_pass<4, with_back>(w, h + r * ldh, ldh, d + r * ldd, ldd, g, products + r, width, r == 0);
  for (; r < rank; ++r) rank_pass<1, with_back>(w, h + r * ldh, ldh, d + r * ldd, ldd, g, products + r, width, r == 0);
}

double low_rank_update(const UpdateRows& u, const float* h, std::size_t ldh, const float* d, std::size_t ldd,
                       std::size_t rank, float* back, std::size_t ldb, bool accumulate, std::size_t rows,
                       std::size_t width, float* scratch) {
  double squares = 0.0;
  float products[max_rank];
  for (std::size_t i = 0; i < rows; ++i) {
    const float* w = u.weight + i * width;
    if (back != nullptr) {
      low_rank_row<true>(w, h + i, ldh, d, ldd, rank, scratch, products, width);
      for (std::size_t r = 0; r < rank; ++r)
        back[r * ldb + i] = accumulate ? back[r * ldb + i] + products[r] : products[r];
    } else {
      low_rank_row<false>(w, h + i, ldh, d, ldd, rank, scratch, products, width);
    }
    update_row(u, scratch, i * width, width);
    if (u.shrink != 0.0F) squares += dot(w, w, width);
  }
  return squares;
}

double sum_squares(const float* values, std::size_t ld, std::size_t rows, std::size_t width) {
  double squares = 0.0;
  for (std::size_t i = 0; i < rows; ++i) squares += dot(values + i * ld, values + i * ld, width);
  return squares;
}

double gradient_squares(const float* gradient, const float* weight, float shrink, std::size_t count) {
  double squares = 0.0;
  for (std::size_t i = 0; i < count; i += 256) {
    Lanes sum = {};
    const std::size_t end = i + 256 < count ? i + 256 : count;
    std::size_t j = i;
    for (; j + lanes <= end; j += lanes) {
      const Lanes g = load(gradient + j) + shrink * load(weight + j);
      sum += g * g;
    }
    float tail = 0.0F;
    for (; j < end; ++j) {
      const float g = gradient[j] + shrink * weight[j];
      tail += g * g;
    }
    squares += total(sum) + tail;
  }
  return squares;
}

/// Words of 16 consecutive Philox blocks from block `first`, in order.
inline void philox_words(const PhiloxStream& s, std::uint64_t first, std::uint32_t* words) {
  const std::uint32_t purpose = (static_cast<std::uint32_t>(s.purpose) << 24U) | s.place;
#pragma omp simd
  for (std::uint32_t i = 0; i < 16; ++i) {
    std::uint64_t index = first + i;
    std::uint32_t c0 = static_cast<std::uint32_t>(index), c1 = static_cast<std::uint32_t>(index >> 32U), c2 = s.step,
                  c3 = purpose;
    std::uint32_t k0 = static_cast<std::uint32_t>(s.seed), k1 = static_cast<std::uint32_t>(s.seed >> 32U);
    for (int round = 0; round < 10; ++round) {
      const std::uint64_t p0 = std::uint64_t{0xD2511F53U} * c0;
      const std::uint64_t p1 = std::uint64_t{0xCD9E8D57U} * c2;
      c0 = static_cast<std::uint32_t>(p1 >> 32U) ^ c1 ^ k0;
      c2 = static_cast<std::uint32_t>(p0 >> 32U) ^ c3 ^ k1;
      c1 = static_cast<std::uint32_t>(p1);
      c3 = static_cast<std::uint32_t>(p0);
      k0 += 0x9E3779B9U;
      k1 += 0xBB67AE85U;
    }
    words[4 * i] = c0;
    words[4 * i + 1] = c1;
    words[4 * i + 2] = c2;
    words[4 * i + 3] = c3;
  }
}

void uniform(const PhiloxStream& stream, float* out, std::size_t count) {
  std::uint32_t words[64];
  for (std::size_t e = 0; e < count; e += 64) {
    philox_words(stream, e / 4, words);
    const std::size_t part = count - e < 64 ? count - e : 64;
    for (std::size_t k = 0; k < part; ++k)
      out[e + k] = static_cast<float>(static_cast<std::int32_t>(words[k] >> 8U)) * 0x1p-24F;
  }
}

void drop(const PhiloxStream& stream, float rate, float* y, std::size_t units, std::size_t ld, std::size_t row,
          std::size_t end_row, std::size_t first, std::size_t width) {
  const float scale = 1.0F / (1.0F - rate);
  std::uint32_t words[64];
  for (std::size_t r = row; r < end_row; ++r) {
    const std::uint64_t begin = r * units + first;
    const std::uint64_t end = begin + width;
    for (std::uint64_t base = begin / 64 * 64; base < end; base += 64) {
      philox_words(stream, base / 4, words);
      const std::uint64_t from = base > begin ? base : begin;
      const std::uint64_t to = base + 64 < end ? base + 64 : end;
      for (std::uint64_t e = from; e < to; ++e) {
        const float u = static_cast<float>(static_cast<std::int32_t>(words[e - base] >> 8U)) * 0x1p-24F;
        float& value = y[r * ld + (e - r * units)];
        value = u >= rate ? value * scale : 0.0F;
      }
    }
  }
}

constexpr GemmProvider eigen{"eigen", &eigen_multiply};

}  // namespace

extern const Kernels table;
constinit const Kernels table{.isa = NOMU_ISA_NAME,
                              .bias_activate = &bias_activate,
                              .narrow_forward = &narrow_forward,
                              .apply_slope = &apply_slope,
                              .head_forward = &head_forward,
                              .head_backward = &head_backward,
                              .head_gradient = &head_gradient,
                              .narrow_gradient = &narrow_gradient,
                              .column_sums = &column_sums,
                              .update = &update,
                              .low_rank_update = &low_rank_update,
                              .sum_squares = &sum_squares,
                              .gradient_squares = &gradient_squares,
                              .drop = &drop,
                              .uniform = &uniform,
                              .eigen = &eigen};

}  // namespace nomu::engine::cpu::NOMU_ISA
// NOLINTEND
