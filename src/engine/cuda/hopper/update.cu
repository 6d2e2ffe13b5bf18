// The kernel of engine/cuda/tiles/update.cu for compute capability 9.0a. This file is compiled for it only.

#include <algorithm>

#include "engine/cuda/hopper/layers.hpp"
#include "engine/cuda/hopper/product.cuh"
#include "engine/cuda/kernels/launch.cuh"
#include "engine/cuda/tiles/gradient.cuh"
#include "engine/cuda/tiles/update.cuh"

namespace nomu::engine::cuda::hopper {
namespace {

/// Units run along the rows of the product, inputs along its columns: the deltas go through registers, so that only the
/// inputs need be transposed. Two tiles are taken together, as what bounds the products are the reads of their factors.
using TransposedProduct = GroupProduct<GroupCut<update_tile.rows, transposed_units, 3>, false, true>;
static_assert(TransposedProduct::Shape::threads == UpdateCut::threads && transposed_units == 2 * update_tile.units);

/// Deltas and transposed inputs of a layer, 32 rows of the step at a time.
struct TransposedSlabs {
  Operand deltas, inputs;
  TransposedProduct::Copies copies;
  unsigned rows;
  unsigned next = 0;

  [[nodiscard]] __device__ unsigned count() const {
    return (rows + TransposedProduct::depth - 1) / TransposedProduct::depth;
  }
  __device__ void load(unsigned stage) {
    if (rows - next < TransposedProduct::depth) return TransposedProduct::load(stage, deltas, inputs, next, rows);
    copies.load(stage);
    next += TransposedProduct::depth;
  }
};

struct TransposedGradient {
  static constexpr unsigned fetch_slabs = 3;  ///< left when the parameters are fetched: about the time that takes
  static constexpr unsigned inputs = transposed_units;
  static constexpr bool once = true;
  static constexpr unsigned ahead = 2;
  static constexpr unsigned ld = TransposedProduct::tile_ld;

  static __device__ float compute(const Place& at) {
    const UpdateJob& job = at.job;
    const float* own = at.view.values_of(at.member);
    const Operand deltas{own + job.delta + at.tile.n, job.delta_ld, update_tile.rows, true};
    const Operand inputs{own + job.transposed + std::size_t{at.tile.m} * job.transposed_ld, job.transposed_ld,
                         transposed_units, true};
    TransposedProduct product;
    TransposedSlabs slabs{deltas, inputs, {deltas, inputs}, at.rows()};
    float bias = 0.0F;
    unsigned left = slabs.count();
    multiply(product, slabs, [&](unsigned stage) {
      if (--left == fetch_slabs) {
        for (unsigned m = 0; m < transposed_units; m += update_tile.units) {
          fetch_parameters({at.view, at.job, {at.tile.job, at.tile.m + m, at.tile.n, false}, at.control, at.member, 0});
        }
      }
      if (!at.tile.with_bias || threadIdx.x >= update_tile.rows) return;
      const float* shared = TransposedProduct::slab_a(stage);
      float part = 0.0F;
      for (unsigned k = 0; k < TransposedProduct::depth; ++k)
        part += shared[TransposedProduct::SlabA::at(threadIdx.x, k)];
      bias += part;
    });
    __syncthreads();
    product.store_columns();
    __syncthreads();
    return bias;
  }
};

__global__ void __launch_bounds__(UpdateCut::threads, 2) update_kernel(const View view, unsigned tiles) {
  update_block(view, tiles, [](const Place& at) {
    if (!at.transposed()) return work_on<Work::update, false>(at);
    // The second of two tiles belongs to the block of the first.
    keep_squares(at, at.tile.m % transposed_units == 0 ? update_tile_of<TransposedGradient, true>(at) : 0.0);
  });
}

constexpr unsigned shared_bytes = std::max(TransposedProduct::shared_bytes, GradientTile<false>::shared_bytes);

}  // namespace

void prepare_update() { allow_shared(update_kernel, shared_bytes); }

void start_update(const View& view, std::uint32_t tiles, cudaStream_t stream) {
  launch(update_kernel, std::size_t{view.members} * tiles, UpdateCut::threads, shared_bytes, stream, view, tiles);
}

}  // namespace nomu::engine::cuda::hopper
