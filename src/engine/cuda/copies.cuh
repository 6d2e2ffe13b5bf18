#pragma once
// A thread's copies of an operand to shared memory where no slab lacks a part: it remembers where it reads and moves on
// from slab to slab, so that a copy takes few instructions.

#include "engine/cuda/quads.cuh"

namespace nomu::engine::cuda {

/// Slabs of `rows` rows of `groups` times four floats, put into shared memory as rows of `ld` floats. `swapped`: the
/// groups of a row change places by the row's number, as hopper::describe() has it.
template <unsigned rows, unsigned groups, unsigned ld, unsigned threads, bool swapped = false>
class SlabCopies {
 public:
  static constexpr unsigned stride = threads / groups;  ///< rows from one copy of a thread to its next
  static constexpr unsigned count = (rows + stride - 1) / stride;
  static_assert(threads % groups == 0 && (!swapped || stride % 8 == 0));

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
      if (c * stride < left_) copy_whole(to + c * stride * ld, from);
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
        copy_whole(to + c * stride * ld, from);
      } else {
        write_quad(to + c * stride * ld, {});
      }
      from += between_;
    }
  }

 private:
  static __device__ float* own(float* shared) {
    return shared + row() * ld + (swapped ? group() ^ row() % 8 : group()) * 4;
  }
  static __device__ unsigned row() { return threadIdx.x / groups; }
  static __device__ unsigned group() { return threadIdx.x % groups; }

  const float* from_;
  unsigned next_, between_, left_;
};

}  // namespace nomu::engine::cuda
