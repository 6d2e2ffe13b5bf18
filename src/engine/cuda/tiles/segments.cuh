#pragma once
// The products that add to a tile of a layer, segment by segment of what feeds it.

#include "engine/cuda/kernels/tables.hpp"
#include "engine/cuda/tiles/product.cuh"

namespace nomu::engine::cuda {

/// Where a job's segments are, and which of its tiles is computed.
struct SegmentPlace {
  const Segment* first;
  unsigned count;
  const float *weights, *values;  ///< the member's
  Tile tile;
  unsigned units, rows, data_rows;

  /// Forward, weights [depth][units] are read along their columns; backward, [units][depth] along their rows.
  template <bool forward>
  [[nodiscard]] __device__ Operand weights_of(const Segment& s) const {
    const float* block = weights + s.weights;
    return {forward ? block + tile.m : block + std::size_t{tile.m} * s.weight_ld, s.weight_ld, units - tile.m, s.wide};
  }
  [[nodiscard]] __device__ Operand values_of(const Segment& s) const {
    const unsigned present = s.data_rows_only && data_rows < rows ? data_rows : rows;
    return {values + s.values + std::size_t{tile.n} * s.values_ld, s.values_ld, present > tile.n ? present - tile.n : 0,
            true};
  }

  /// Whether every slab is complete as far as it matters: rows beyond the last only reach sums that are never read.
  template <class Product>
  [[nodiscard]] __device__ bool whole() const {
    if (tile.m + Product::Shape::m > units) return false;
    for (unsigned s = 0; s < count; ++s) {
      if (!first[s].wide || first[s].depth % Product::depth != 0) return false;
      if (first[s].data_rows_only && data_rows < rows) return false;
    }
    return true;
  }
};

/// The slabs of all segments of a job, one after the other.
template <class Product, bool forward>
class SegmentSlabs {
 public:
  __device__ explicit SegmentSlabs(const SegmentPlace& place) : place_(place), next_(place.first), left_(place.count) {
    for (unsigned s = 0; s < left_; ++s) count_ += (next_[s].depth + Product::depth - 1) / Product::depth;
    open();
  }

  [[nodiscard]] __device__ unsigned count() const { return count_; }

  __device__ void load(unsigned stage) {
    Product::load(stage, a_, b_, k_, depth_);
    k_ += Product::depth;
    if (k_ < depth_ || --left_ == 0) return;
    ++next_;
    open();
  }

 private:
  __device__ void open() {
    a_ = place_.template weights_of<forward>(*next_);
    b_ = place_.values_of(*next_);
    k_ = 0;
    depth_ = next_->depth;
  }

  const SegmentPlace& place_;
  const Segment* next_;
  unsigned left_;
  unsigned count_ = 0, k_ = 0, depth_ = 0;
  Operand a_{}, b_{};
};

/// The same if every slab is complete.
template <class Product, bool forward>
class WholeSlabs {
 public:
  __device__ explicit WholeSlabs(const SegmentPlace& place)
      : place_(place),
        next_(place.first),
        copies_(place.template weights_of<forward>(*next_), place.values_of(*next_)) {
    for (unsigned s = 0; s < place.count; ++s) count_ += next_[s].depth / Product::depth;
    left_ = next_->depth / Product::depth;
  }

  [[nodiscard]] __device__ unsigned count() const { return count_; }

  __device__ void load(unsigned stage) {
    if (left_ == 0) {
      ++next_;
      left_ = next_->depth / Product::depth;
      copies_ = {place_.template weights_of<forward>(*next_), place_.values_of(*next_)};
    }
    copies_.load(stage);
    --left_;
  }

 private:
  const SegmentPlace& place_;
  const Segment* next_;
  typename Product::Copies copies_;
  unsigned count_ = 0, left_;
};

template <class Product, bool forward>
__device__ void multiply_segments(Product& product, const SegmentPlace& place) {
  const auto nothing = [](unsigned) {};
  if (place.template whole<Product>()) {
    WholeSlabs<Product, forward> slabs(place);
    multiply(product, slabs, nothing);
  } else {
    SegmentSlabs<Product, forward> slabs(place);
    multiply(product, slabs, nothing);
  }
}

}  // namespace nomu::engine::cuda
