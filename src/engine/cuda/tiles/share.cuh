#pragma once
// The parameters of a tile of the update and their moments, as its threads share them.

#include "engine/cuda/kernels/kernels.hpp"
#include "engine/cuda/kernels/quads.cuh"
#include "engine/cuda/tiles/product.cuh"

namespace nomu::engine::cuda {

using UpdateCut = Cut<update_tile.units, update_tile.rows, 2, 4, 3>;

/// A tile of one job with the numbers that belong to its member.
struct Place {
  const View& view;
  const UpdateJob& job;
  const Tile& tile;
  const Control& control;
  unsigned member, index;  ///< index: of the tile

  [[nodiscard]] __device__ std::size_t moments() const { return member * view.parameters; }
  /// Terms of the gradient's sum.
  [[nodiscard]] __device__ unsigned rows() const { return job.data_rows_only ? control.data_rows : control.rows; }
  /// Whether all of the tile's parameters exist, may be read four at a time, and Adam is the plain one.
  [[nodiscard]] __device__ bool whole() const {
    return job.wide && tile.m + update_tile.units <= job.inputs && tile.n + update_tile.rows <= job.units &&
           !view.train.amsgrad;
  }
  /// Whether the gradient is computed from transposed values.
  [[nodiscard]] __device__ bool transposed() const {
    return job.transposed_ld != 0 && rows() >= transposed_from && whole();
  }
  [[nodiscard]] __device__ float shrink() const { return 2.0F * view.l2[job.l2 * view.members + member]; }
  [[nodiscard]] __device__ AdamStep<float> adam() const {
    return {control.rate, static_cast<float>(view.train.beta1), static_cast<float>(view.train.beta2),
            static_cast<float>(view.train.epsilon)};
  }
};

/// Four neighbouring parameters of a row with their moments.
struct Parameters {
  Quad weight, first, second;
};

/// A thread's share of the tile: every so many-th group of four neighbouring parameters, the threads side by side.
/// `whole`: as Place says. `once`: parameters do not evict the factors of long products from the caches.
template <bool whole, bool once = false>
class Share {
 public:
  static constexpr unsigned groups = update_tile.rows / 4;  // of a row of the tile

  __device__ explicit Share(const Place& at)
      : units_(at.job.units),
        rows_(at.job.inputs - at.tile.m),
        width_(at.job.units - at.tile.n > column() ? at.job.units - at.tile.n - column() : 0),
        wide_(at.job.wide) {
    if (width_ > 4) width_ = 4;
    const std::size_t begin = at.job.weights + std::size_t{at.tile.m + row(0)} * units_ + at.tile.n + column();
    from_ = at.view.weights_of(at.control.source, at.member) + begin;
    to_ = at.view.weights_of(at.control.target, at.member) + begin;
    first_ = at.view.first + at.moments() + begin;
    second_ = at.view.second + at.moments() + begin;
    largest_ = !whole && at.view.train.amsgrad ? at.view.largest + at.moments() + begin : nullptr;
  }

  /// Where group `c` begins in the tile.
  static __device__ unsigned row(unsigned c) { return threadIdx.x / groups + c * (UpdateCut::threads / groups); }
  static __device__ unsigned column() { return threadIdx.x % groups * 4; }

  /// How many of the group's four parameters there are.
  [[nodiscard]] __device__ unsigned width(unsigned c) const { return whole ? 4 : row(c) < rows_ ? width_ : 0; }

  __device__ void read_weights(unsigned c, Quad& to) const { to = read(from_ + offset(c), width(c)); }
  __device__ void read(unsigned c, Parameters& to) const {
    to.weight = read(from_ + offset(c), width(c));
    to.first = read(first_ + offset(c), width(c));
    to.second = read(second_ + offset(c), width(c));
  }
  __device__ void write(unsigned c, const Parameters& from) const {
    write(to_ + offset(c), from.weight, width(c));
    write(first_ + offset(c), from.first, width(c));
    write(second_ + offset(c), from.second, width(c));
  }

  /// Adam on a group.
  __device__ void step(unsigned c, const AdamStep<float>& adam_step, const Quad& gradient, Parameters& p) const {
    Quad largest{};
    if (!whole && largest_ != nullptr) largest = read(largest_ + offset(c), width(c));
#pragma unroll
    for (unsigned e = 0; e < 4; ++e) {
      if (!whole && largest_ != nullptr) {
        amsgrad(adam_step, gradient.value[e], p.weight.value[e], p.first.value[e], p.second.value[e], largest.value[e]);
      } else {
        adam(adam_step, gradient.value[e], p.weight.value[e], p.first.value[e], p.second.value[e]);
      }
    }
    if (!whole && largest_ != nullptr) write(largest_ + offset(c), largest, width(c));
  }

 private:
  [[nodiscard]] __device__ std::size_t offset(unsigned c) const {
    return std::size_t{c} * (UpdateCut::threads / groups) * units_;
  }
  [[nodiscard]] __device__ Quad read(const float* from, unsigned width) const {
    if constexpr (whole) return once ? read_quad_once(from) : read_quad(from);
    if (width == 0) return {};
    return wide_ ? read_quad(from) : read_some(from, width);
  }
  __device__ void write(float* to, const Quad& quad, unsigned width) const {
    if constexpr (whole) return once ? write_quad_once(to, quad) : write_quad_together(to, quad);
    if (width == 0) return;
    wide_ ? write_quad(to, quad) : write_some(to, quad, width);
  }

  const float* from_;
  float *to_, *first_, *second_, *largest_;
  unsigned units_, rows_, width_;
  bool wide_;
};

}  // namespace nomu::engine::cuda
