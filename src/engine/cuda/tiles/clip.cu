// Factors that keep gradients within the members' clip norms, tensor by tensor. Most of the time a bound shows that
// nothing is clipped; only if it does not are gradients computed for their norm and discarded.

#include <cmath>

#include "engine/cuda/kernels/launch.cuh"
#include "engine/cuda/tiles/gradient.cuh"

namespace nomu::engine::cuda {
namespace {

/// A few blocks search for the few tiles whose gradient may be too long.
template <bool exact>
__global__ void __launch_bounds__(UpdateCut::threads) norms_kernel(const View view, unsigned tiles) {
  for (std::size_t w = blockIdx.x; w < std::size_t{view.members} * tiles; w += gridDim.x) {
    const auto member = static_cast<unsigned>(w / tiles);
    const auto index = static_cast<unsigned>(w % tiles);
    const Tile tile = view.tiles[index];
    const UpdateJob& job = view.update[tile.job];
    const Control control = view.control[member];
    if (control.update == 0 || view.clip_needed[std::size_t{member} * view.layers + job.layer] == 0) continue;
    __syncthreads();  // the shared memory of the tile before is free
    work_on<Work::norms, exact>({view, job, tile, control, member, index});
  }
}

/// Squares of the inputs and deltas of a layer over a share of its rows.
__global__ void __launch_bounds__(256) row_norms_kernel(const View view) {
  const unsigned part = blockIdx.x % norm_parts;
  const unsigned layer = blockIdx.x / norm_parts % view.layers;
  const unsigned member = blockIdx.x / norm_parts / view.layers;
  const Control control = view.control[member];
  const LayerNorm& norm = view.layer_norms[layer];
  if (control.update == 0 || norm.jobs == 0 || !(view.info[member].clip > 0.0F)) return;
  const float* own = view.values_of(member);
  double inputs = 0.0;
  double deltas = 0.0;
  for (unsigned f = 0; f < norm.jobs; ++f) {
    const UpdateJob& job = view.update[norm.first_job + f];
    const unsigned rows = job.data_rows_only ? control.data_rows : control.rows;
    for (unsigned row = part; row < rows; row += norm_parts) {
      float sum = 0.0F;
      for (unsigned u = threadIdx.x; u < job.inputs; u += blockDim.x) {
        const float value = own[job.values + std::size_t{row} * job.values_ld + u];
        sum = fmaf(value, value, sum);
      }
      inputs += static_cast<double>(sum);
      sum = 0.0F;
      for (unsigned u = threadIdx.x; f == 0 && u < job.units; u += blockDim.x) {
        const float value = own[job.delta + std::size_t{row} * job.delta_ld + u];
        sum = fmaf(value, value, sum);
      }
      deltas += static_cast<double>(sum);
    }
  }
  inputs = block_sum(inputs);
  deltas = block_sum(deltas);
  if (threadIdx.x != 0) return;
  double* out = view.norms + 2 * std::size_t{blockIdx.x};
  out[0] = inputs;
  out[1] = deltas;
}

/// The norm of a product is at most the product of the norms: if that bound is below the limit, nothing is
/// clipped, and the gradient need not be known before it is used.
__global__ void __launch_bounds__(32) bound_kernel(const View view) {
  const unsigned member = blockIdx.x;
  const Control control = view.control[member];
  const auto limit = static_cast<double>(view.info[member].clip);
  for (unsigned layer = threadIdx.x; layer < view.layers; layer += blockDim.x) {
    const std::size_t place = std::size_t{member} * view.layers + layer;
    view.clip[2 * place] = view.clip[2 * place + 1] = 1.0F;
    view.clip_needed[place] = 0;
    const LayerNorm& norm = view.layer_norms[layer];
    if (control.update == 0 || norm.jobs == 0 || !(limit > 0.0)) continue;
    double inputs = 0.0;
    double deltas = 0.0;
    for (unsigned part = 0; part < norm_parts; ++part) {
      inputs += view.norms[2 * (place * norm_parts + part)];
      deltas += view.norms[2 * (place * norm_parts + part) + 1];
    }
    double weights = 0.0;
    for (unsigned t = 0; t < norm.tiles; ++t) {
      weights += view.squares[std::size_t{member} * view.update_tiles + norm.first_tile + t];
    }
    const UpdateJob& job = view.update[norm.first_job];
    const double rows = job.data_rows_only ? control.data_rows : control.rows;
    const double shrink = 2.0 * static_cast<double>(view.l2[job.l2 * view.members + member]) * sqrt(weights);
    // The bias sees every row with the input 1. A little above 1 for the rounding of the sums.
    const double bound = sqrt((inputs > rows ? inputs : rows) * deltas) + shrink;
    view.clip_needed[place] = bound * 1.0001 <= limit ? 0 : 1;
  }
}

__global__ void __launch_bounds__(32) factor_kernel(const View view) {
  const unsigned member = blockIdx.x;
  const auto limit = static_cast<double>(view.info[member].clip);
  for (unsigned layer = threadIdx.x; layer < view.layers; layer += blockDim.x) {
    const std::size_t place = std::size_t{member} * view.layers + layer;
    if (view.control[member].update == 0 || view.clip_needed[place] == 0) continue;
    const LayerNorm& norm = view.layer_norms[layer];
    double squares[2] = {0.0, 0.0};
    for (unsigned t = 0; t < norm.tiles; ++t) {
      const std::size_t slot = std::size_t{member} * view.update_tiles + norm.first_tile + t;
      squares[0] += view.clipped[2 * slot];
      squares[1] += view.clipped[2 * slot + 1];
    }
    for (unsigned e = 0; e < 2; ++e) {
      const double length = sqrt(squares[e]);
      if (length > limit) view.clip[2 * place + e] = static_cast<float>(limit / length);
    }
  }
}

}  // namespace

void prepare_clipping() {
  allow_shared(norms_kernel<true>, GradientTile<true>::shared_bytes);
  allow_shared(norms_kernel<false>, GradientTile<false>::shared_bytes);
}

void start_clipping(const View& view, std::uint32_t tiles, Precision precision, std::uint32_t blocks,
                    cudaStream_t stream) {
  launch(row_norms_kernel, std::size_t{view.members} * view.layers * norm_parts, 256, 0, stream, view);
  launch(bound_kernel, view.members, 32, 0, stream, view);
  const auto kernel = precision == Precision::fp32 ? norms_kernel<true> : norms_kernel<false>;
  launch(kernel, blocks, UpdateCut::threads, GradientTile<true>::shared_bytes, stream, view, tiles);
  launch(factor_kernel, view.members, 32, 0, stream, view);
}

}  // namespace nomu::engine::cuda
