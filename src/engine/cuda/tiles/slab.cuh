#pragma once
// Brings the factors of a product through shared memory, some terms of the sum at a time.

#include "engine/cuda/tiles/copies.cuh"

namespace nomu::engine::cuda {

inline constexpr unsigned slab = 16;  ///< terms of the sum that are in shared memory at a time

/// A matrix [count][depth] in global memory. `inner`: k runs fastest, else the other index does.
struct Operand {
  const float* values;
  unsigned ld;
  unsigned count;
  bool wide;  ///< rows start at multiples of 16 bytes
};

/// Starts copying four floats of an operand to shared memory, the ones at (i, k) and after it along its faster index;
/// what is not there becomes zero.
template <bool inner>
__device__ void copy_four(float* to, const Operand& from, unsigned i, unsigned k, unsigned depth) {
  const unsigned end = inner ? depth : from.count;
  const unsigned begin = inner ? k : i;
  unsigned valid = (inner ? i < from.count : k < depth) && begin < end ? end - begin : 0;
  valid = valid < 4 ? valid : 4;
  const float* source = from.values;
  if (valid > 0) source += inner ? std::size_t{i} * from.ld + k : std::size_t{k} * from.ld + i;
  if (from.wide) {
    copy_16(to, source, valid * 4);
  } else {
    for (unsigned j = 0; j < 4; ++j) copy_4(to + j, j < valid ? source + j : from.values, j < valid ? 4 : 0);
  }
}

/// Starts copying terms of a sum of `depth` from k0 on to a slab that lies as `Rows` says; what is not there becomes
/// zero.
template <class Rows, bool inner>
__device__ void load_slab(float* shared, const Operand& from, unsigned k0, unsigned depth, unsigned threads) {
  for (unsigned c = threadIdx.x; c < Rows::rows * Rows::groups; c += threads) {
    const unsigned row = c / Rows::groups;
    const unsigned group = c % Rows::groups;
    copy_four<inner>(shared + Rows::place(row, group), from, inner ? row : group * 4, k0 + (inner ? group * 4 : row),
                     depth);
  }
}

/// One operand's slabs in shared memory, `terms` of the sum at a time. The paddings keep the lanes of a warp on
/// different banks.
template <unsigned count, bool inner, unsigned terms = slab>
struct Slab {
  static constexpr unsigned ld = inner ? terms + 4 : count + 8;
  static constexpr unsigned floats = inner ? count * ld : terms * ld;

  static __device__ unsigned at(unsigned i, unsigned k) { return inner ? i * ld + k : k * ld + i; }

  using Rows = PlainRows<inner ? count : terms, inner ? terms / 4 : count / 4, ld>;

  /// Copies of whole slabs, from the sum's first term on.
  template <unsigned threads>
  using Copies = SlabCopies<Rows, threads>;
  template <unsigned threads>
  static __device__ Copies<threads> copies(const Operand& from) {
    return {from.values, from.ld, inner ? (from.count < count ? from.count : count) : terms,
            inner ? terms : terms * from.ld};
  }

  /// Starts copying terms [k0, k0 + terms) of a sum of `depth`.
  static __device__ void load(float* shared, const Operand& from, unsigned k0, unsigned depth, unsigned threads) {
    load_slab<Rows, inner>(shared, from, k0, depth, threads);
  }
};

}  // namespace nomu::engine::cuda
