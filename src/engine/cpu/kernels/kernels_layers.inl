// Forward and backward through layers: activations, narrow inputs, heads, their gradients.

// NOLINTBEGIN
namespace nomu::engine::cpu::NOMU_ISA {
namespace {

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

}  // namespace
}  // namespace nomu::engine::cpu::NOMU_ISA
// NOLINTEND
