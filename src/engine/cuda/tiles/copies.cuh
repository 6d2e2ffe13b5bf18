#pragma once
// A thread's copies of an operand to shared memory if every slab is complete: it remembers where it reads and moves on
// from slab to slab, so that a copy takes few instructions.

#include "engine/cuda/kernels/quads.cuh"

namespace nomu::engine::cuda {

/// Where the rows of a slab lie in shared memory: `groups` times four floats each, `ld` floats apart.
template <unsigned rows_, unsigned groups_, unsigned ld_>
struct PlainRows {
  static constexpr unsigned rows = rows_, groups = groups_, ld = ld_;
  static constexpr unsigned like = 1;  ///< rows this far apart have their groups in the same order
  static __device__ unsigned place(unsigned row, unsigned group) { return row * ld + group * 4; }
};

/// A thread's share of the copies of slabs that lie as `Rows` says.
template <class Rows, unsigned threads>
class SlabCopies {
 public:
  static constexpr unsigned stride = threads / Rows::groups;  ///< rows from one copy of a thread to its next
  static constexpr unsigned count = (Rows::rows + stride - 1) / stride;
  static_assert(threads % Rows::groups == 0 && stride % Rows::like == 0);

  /// From rows `from_ld` floats apart, of which `present` are there; the next slab begins `next` floats after this one.
  /// Rows that are not there are left as they are in shared memory.
  __device__ SlabCopies(const float* from, unsigned from_ld, unsigned present, unsigned next)
      : from_(from + std::size_t{row()} * from_ld + group() * 4),
        next_(next),
        between_(stride * from_ld),
        left_(present > row() ? present - row() : 0) {}

  /// Starts the copies of the next slab.
  __device__ void load(float* shared) {
    float* to = own(shared);
    const float* from = from_;
#pragma unroll
    for (unsigned c = 0; c < count; ++c) {
      if (c * stride < left_) copy_whole(to + c * stride * Rows::ld, from);
      from += between_;
    }
    from_ += next_;
  }

  /// The same for the last slab, of which only `present` rows are there; the others become zero.
  __device__ void load_last(float* shared, unsigned present) const {
    float* to = own(shared);
    const float* from = from_;
#pragma unroll
    for (unsigned c = 0; c < count; ++c) {
      if (row() + c * stride < present) {
        copy_whole(to + c * stride * Rows::ld, from);
      } else {
        write_quad(to + c * stride * Rows::ld, {});
      }
      from += between_;
    }
  }

 private:
  static __device__ float* own(float* shared) { return shared + Rows::place(row(), group()); }
  static __device__ unsigned row() { return threadIdx.x / Rows::groups; }
  static __device__ unsigned group() { return threadIdx.x % Rows::groups; }

  const float* from_;
  unsigned next_, between_, left_;
};

}  // namespace nomu::engine::cuda
