#pragma once
// A tile of a matrix product like engine/cuda/tiles/product.cuh, rounded to TF32, with the instructions of compute
// capability 9.0a. A is rounded when it is loaded into registers, unless it is `given` in TF32; B is read as it is, so
// it must be.

#include "engine/cuda/hopper/ptx.cuh"
#include "engine/cuda/tiles/product.cuh"

namespace nomu::engine::cuda::hopper {

/// m by n, each group of four warps 64 rows; `depth` terms of the sum in a stage.
template <unsigned m_, unsigned n_, unsigned stages_, unsigned depth_ = 32>
struct GroupCut {
  static constexpr unsigned m = m_, n = n_, stages = stages_, depth = depth_;
  static constexpr unsigned threads = 2 * m;
  static_assert(m % 64 == 0 && n % 8 == 0 && depth % 32 == 0);
};

/// A slab as describe() has it: `terms` of each row, 32 by 32.
template <unsigned rows_, unsigned terms>
struct SwappedRows {
  static constexpr unsigned rows = rows_, groups = terms / 4, ld = 32, like = 8;
  static constexpr unsigned floats = rows * terms;
  static constexpr unsigned next = rows * ld;  ///< from 32 terms to the next
  static __device__ unsigned place(unsigned row, unsigned group) {
    return group / 8 * next + row * ld + (group % 8 ^ row % 8) * 4;
  }
};

template <class Cut, bool a_inner, bool given = false>
class GroupProduct {
 public:
  using Shape = Cut;
  static constexpr unsigned depth = Cut::depth;
  using SlabA = Slab<Cut::m, a_inner, depth>;
  using SlabB = SwappedRows<Cut::n, depth>;
  static constexpr unsigned stage_floats = SlabA::floats + SlabB::floats;
  static_assert(SlabA::floats % 256 == 0 && SlabB::next % 256 == 0, "B's slabs start at multiples of 1024 bytes");
  static constexpr unsigned shared_bytes = Cut::stages * stage_floats * sizeof(float) + 1024;

  __device__ GroupProduct() : shared_(aligned()) {
#pragma unroll
    for (float& value : sum_) value = 0.0F;
  }

  __device__ static void load(unsigned stage, const Operand& a, const Operand& b, unsigned k0, unsigned depth_in_all) {
    float* to_b = aligned() + stage * stage_floats;
    SlabA::load(to_b + SlabB::floats, a, k0, depth_in_all, Cut::threads);
    load_slab<SlabB, true>(to_b, b, k0, depth_in_all, Cut::threads);
  }

  class Copies {
   public:
    __device__ Copies(const Operand& a, const Operand& b)
        : a_(SlabA::template copies<Cut::threads>(a)), b_(b.values, b.ld, b.count < Cut::n ? b.count : Cut::n, depth) {}
    __device__ void load(unsigned stage) {
      float* to_b = aligned() + stage * stage_floats;
      a_.load(to_b + SlabB::floats);
      b_.load(to_b);
    }

   private:
    typename SlabA::template Copies<Cut::threads> a_;
    SlabCopies<SlabB, Cut::threads> b_;
  };

  /// A's slab of a stage, for sums over it; at(m, k) of SlabA says where.
  __device__ static const float* slab_a(unsigned stage) { return aligned() + stage * stage_floats + SlabB::floats; }

  /// Makes the copies that have arrived for this thread visible to the products of all.
  __device__ static void arrived() { publish_to_products(); }

  __device__ void add(unsigned stage) {
    const float* b = shared_ + stage * stage_floats;
    const float* a = b + SlabB::floats;
    const unsigned m = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;
    const unsigned t = threadIdx.x % 4;
    float fragment[depth / 8][4];
#pragma unroll
    for (unsigned k = 0; k < depth / 8; ++k) {
#pragma unroll
      for (unsigned e = 0; e < 4; ++e) {
        const float value = a[SlabA::at(m + e % 2 * 8, 8 * k + t + e / 2 * 4)];
        fragment[k][e] = given ? value : to_tf32(value);
      }
    }
    begin_products();
#pragma unroll
    for (unsigned k = 0; k < depth / 8; ++k) {
      warpgroup_multiply(sum_, fragment[k], describe(b + k / 4 * SlabB::next) + k % 4 * next_terms);
    }
    commit_products();
    wait_products();
  }

  /// Writes the sums to shared memory as [n][tile_ld], over the slabs; all threads must be done with those.
  static constexpr unsigned tile_ld = Cut::m + 4;
  __device__ void store_columns() const {
    static_assert(Cut::n * tile_ld * sizeof(float) <= shared_bytes);
    float* shared = shared_memory();
    const unsigned m = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;
    const unsigned n = threadIdx.x % 4 * 2;
#pragma unroll
    for (unsigned j = 0; j < Cut::n / 8; ++j) {
#pragma unroll
      for (unsigned e = 0; e < 4; ++e) shared[(8 * j + n + e % 2) * tile_ld + m + e / 2 * 8] = sum_[4 * j + e];
    }
  }

 private:
  /// The first multiple of 1024 bytes in shared memory.
  static __device__ float* aligned() {
    const auto address = static_cast<unsigned>(__cvta_generic_to_shared(shared_memory()));
    return shared_memory() + (1024 - address % 1024) % 1024 / sizeof(float);
  }

  float* shared_;
  float sum_[Cut::n / 2];
};

}  // namespace nomu::engine::cuda::hopper
