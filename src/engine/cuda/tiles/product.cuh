#pragma once
// A tile of a matrix product on the tensor cores: a block of threads computes C[m][n] = sum_k A[m][k] B[n][k], with
// copies to shared memory running ahead of the arithmetic.
//
// The order of the sum over k depends only on k, so an element has the same bits whatever the tile, the cohort and the
// neighbours. In `exact` arithmetic each factor is split into two TF32 numbers whose three larger products are
// kept, and sums are carried over every 16 terms by ordinary additions: the tensor cores' own sums round towards zero.

#include "engine/cuda/kernels/ptx.cuh"
#include "engine/cuda/tiles/slab.cuh"

namespace nomu::engine::cuda {

/// How a tile is cut: m by n, over warps_m by warps_n warps.
template <unsigned m_, unsigned n_, unsigned warps_m_, unsigned warps_n_, unsigned stages_>
struct Cut {
  static constexpr unsigned m = m_, n = n_, warps_m = warps_m_, warps_n = warps_n_, stages = stages_;
  static constexpr unsigned threads = 32 * warps_m * warps_n;
  static constexpr unsigned fragments_m = m / warps_m / 16, fragments_n = n / warps_n / 8;
  static_assert(fragments_m * warps_m * 16 == m && fragments_n * warps_n * 8 == n);
};

/// `given`: the factors are TF32 numbers already.
template <class Cut, bool a_inner, bool b_inner, bool exact, bool given = false>
class Product {
 public:
  using Shape = Cut;
  static constexpr unsigned depth = slab;  ///< terms of a stage
  using SlabA = Slab<Cut::m, a_inner>;
  using SlabB = Slab<Cut::n, b_inner>;
  static constexpr unsigned stage_floats = SlabA::floats + SlabB::floats;
  static constexpr unsigned shared_bytes = Cut::stages * stage_floats * sizeof(float);

  __device__ Product() {
    for (auto& row : sum_)
      for (auto& fragment : row)
        for (float& value : fragment) value = 0.0F;
  }

  /// Starts copying a slab into a stage; always to be followed by commit_copies().
  __device__ static void load(unsigned stage, const Operand& a, const Operand& b, unsigned k0, unsigned depth) {
    float* shared = shared_memory() + stage * stage_floats;
    SlabA::load(shared, a, k0, depth, Cut::threads);
    SlabB::load(shared + SlabA::floats, b, k0, depth, Cut::threads);
  }

  /// The same for complete slabs, one after the other from the sum's first term on.
  class Copies {
   public:
    __device__ Copies(const Operand& a, const Operand& b)
        : a_(SlabA::template copies<Cut::threads>(a)), b_(SlabB::template copies<Cut::threads>(b)) {}
    __device__ void load(unsigned stage) {
      float* shared = shared_memory() + stage * stage_floats;
      a_.load(shared);
      b_.load(shared + SlabA::floats);
    }
    /// The last slab of operands that are not `inner`, with `left` terms.
    __device__ void load_last(unsigned stage, unsigned left) const {
      float* shared = shared_memory() + stage * stage_floats;
      a_.load_last(shared, left);
      b_.load_last(shared + SlabA::floats, left);
    }

   private:
    typename SlabA::template Copies<Cut::threads> a_;
    typename SlabB::template Copies<Cut::threads> b_;
  };

  /// Called by each thread when its copies of a stage have arrived, before the barrier.
  __device__ static void arrived() {}

  /// B's slab of a stage, for sums over it; at(n, k) of SlabB says where.
  __device__ static const float* slab_b(unsigned stage) {
    return shared_memory() + stage * stage_floats + SlabA::floats;
  }

  /// Adds the products of a stage.
  __device__ void add(unsigned stage) {
    const float* a = shared_memory() + stage * stage_floats;
    const float* b = a + SlabA::floats;
    if constexpr (exact) {
      add_exact(a, b);
    } else {
      add_rounded(a, b);
    }
  }

  /// Writes the sums to shared memory as [n][ld], over the slabs; all threads must be done with those.
  static constexpr unsigned tile_ld = Cut::m + 4;
  __device__ void store_columns() const {
    static_assert(Cut::n * tile_ld <= Cut::stages * stage_floats);
    float* shared = shared_memory();
#pragma unroll
    for (unsigned i = 0; i < Cut::fragments_m; ++i) {
#pragma unroll
      for (unsigned j = 0; j < Cut::fragments_n; ++j) {
#pragma unroll
        for (unsigned e = 0; e < 4; ++e) shared[(column(j) + e % 2) * tile_ld + row(i, e / 2)] = sum_[i][j][e];
      }
    }
  }

  /// Writes the sums to shared memory as [m][row_ld], over the slabs; all threads must be done with those.
  static constexpr unsigned row_ld = Cut::n + 8;
  __device__ void store_rows() const {
    static_assert(Cut::m * row_ld <= Cut::stages * stage_floats);
    float* shared = shared_memory();
#pragma unroll
    for (unsigned i = 0; i < Cut::fragments_m; ++i) {
#pragma unroll
      for (unsigned half = 0; half < 2; ++half) {
#pragma unroll
        for (unsigned j = 0; j < Cut::fragments_n; ++j) {
          *reinterpret_cast<float2*>(shared + row(i, half) * row_ld + column(j)) =
              make_float2(sum_[i][j][2 * half], sum_[i][j][2 * half + 1]);
        }
      }
    }
  }

 private:
  /// Row of the tile that half `half` (0 or 1) of fragment row `i` holds in this lane.
  static __device__ unsigned row(unsigned i, unsigned half) { return first_m() + 16 * i + 8 * half + group(); }

  /// First of the two neighbouring columns that fragment column `j` holds in this lane; even.
  static __device__ unsigned column(unsigned j) { return first_n() + 8 * j + 2 * place(); }

  static __device__ unsigned group() { return threadIdx.x % 32 / 4; }
  static __device__ unsigned place() { return threadIdx.x % 4; }
  static __device__ unsigned first_m() { return threadIdx.x / 32 / Cut::warps_n * (16 * Cut::fragments_m); }
  static __device__ unsigned first_n() { return threadIdx.x / 32 % Cut::warps_n * (8 * Cut::fragments_n); }

  static __device__ void fragment_a(const float* a, unsigned i, unsigned k, float (&out)[4]) {
    const unsigned m = first_m() + 16 * i + group();
    out[0] = a[SlabA::at(m, k + place())];
    out[1] = a[SlabA::at(m + 8, k + place())];
    out[2] = a[SlabA::at(m, k + place() + 4)];
    out[3] = a[SlabA::at(m + 8, k + place() + 4)];
  }

  static __device__ void fragment_b(const float* b, unsigned j, unsigned k, float (&out)[2]) {
    const unsigned n = first_n() + 8 * j + group();
    out[0] = b[SlabB::at(n, k + place())];
    out[1] = b[SlabB::at(n, k + place() + 4)];
  }

  __device__ void add_rounded(const float* a, const float* b) {
#pragma unroll
    for (unsigned k = 0; k < slab; k += 8) {
      float fa[Cut::fragments_m][4];
#pragma unroll
      for (unsigned i = 0; i < Cut::fragments_m; ++i) {
        fragment_a(a, i, k, fa[i]);
        if constexpr (!given) round(fa[i]);
      }
#pragma unroll
      for (unsigned j = 0; j < Cut::fragments_n; ++j) {
        float fb[2];
        fragment_b(b, j, k, fb);
        if constexpr (!given) round(fb);
#pragma unroll
        for (unsigned i = 0; i < Cut::fragments_m; ++i) multiply_add(sum_[i][j], fa[i], fb);
      }
    }
  }

  template <unsigned count>
  static __device__ void round(float (&values)[count]) {
#pragma unroll
    for (float& value : values) value = to_tf32(value);
  }

  template <unsigned count>
  static __device__ void split(const float (&value)[count], float (&high)[count], float (&low)[count]) {
#pragma unroll
    for (unsigned e = 0; e < count; ++e) {
      high[e] = to_tf32(value[e]);
      low[e] = to_tf32(value[e] - high[e]);
    }
  }

  __device__ void add_exact(const float* a, const float* b) {
    constexpr unsigned steps = slab / 8;
    float high_a[steps][Cut::fragments_m][4], low_a[steps][Cut::fragments_m][4];
#pragma unroll
    for (unsigned k = 0; k < steps; ++k) {
#pragma unroll
      for (unsigned i = 0; i < Cut::fragments_m; ++i) {
        float value[4];
        fragment_a(a, i, 8 * k, value);
        split(value, high_a[k][i], low_a[k][i]);
      }
    }
#pragma unroll
    for (unsigned j = 0; j < Cut::fragments_n; ++j) {
      float part[Cut::fragments_m][4] = {};
#pragma unroll
      for (unsigned k = 0; k < steps; ++k) {
        float value[2], high_b[2], low_b[2];
        fragment_b(b, j, 8 * k, value);
        split(value, high_b, low_b);
#pragma unroll
        for (unsigned i = 0; i < Cut::fragments_m; ++i) {
          multiply_add(part[i], low_a[k][i], high_b);
          multiply_add(part[i], high_a[k][i], low_b);
          multiply_add(part[i], high_a[k][i], high_b);
        }
      }
#pragma unroll
      for (unsigned i = 0; i < Cut::fragments_m; ++i) {
#pragma unroll
        for (unsigned e = 0; e < 4; ++e) sum_[i][j][e] += part[i][e];
      }
    }
  }

  float sum_[Cut::fragments_m][Cut::fragments_n][4];
};

/// Adds up all slabs. `slabs.count()` of them are started one by one with `slabs.load(stage)`; `each(stage)` is called
/// for each one once it is in shared memory.
template <class Product, class Slabs, class Each>
__device__ void multiply(Product& product, Slabs& slabs, const Each& each) {
  using Cut = typename Product::Shape;
  const unsigned count = slabs.count();
  constexpr unsigned ahead = Cut::stages - 1;
#pragma unroll 1
  for (unsigned s = 0; s < ahead; ++s) {
    if (s < count) slabs.load(s);
    commit_copies();
  }
  unsigned now = 0;
  unsigned later = ahead;
  for (unsigned it = 0; it < count; ++it) {
    wait_copies<Cut::stages - 2>();
    Product::arrived();
    __syncthreads();  // the slab is complete, and all threads are done with the previous one
    if (it + ahead < count) slabs.load(later);
    commit_copies();
    product.add(now);
    each(now);
    now = now == ahead ? 0 : now + 1;
    later = later == ahead ? 0 : later + 1;
  }
}

}  // namespace nomu::engine::cuda
