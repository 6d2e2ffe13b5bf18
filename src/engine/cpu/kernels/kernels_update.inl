// Adam on tiles of weights, with the gradient given or of low rank, and sums of squares.

// NOLINTBEGIN
namespace nomu::engine::cpu::NOMU_ISA {
namespace {

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
    store(g + j, sum);
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

}  // namespace
}  // namespace nomu::engine::cpu::NOMU_ISA
// NOLINTEND
