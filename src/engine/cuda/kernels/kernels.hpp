#pragma once
// The kernels of a round as the host sees them: each call starts one and returns at once.

#include <cuda_runtime.h>

#include <span>

#include "engine/cuda/kernels/tables.hpp"

namespace nomu::engine::cuda {

/// `tf32_hopper`: TF32 with the products of compute capability 9.0.
enum class Precision { fp32, tf32, tf32_hopper };

/// How products are cut into tiles: large ones use the machine best, smaller ones fill it when there is little to do,
/// narrow ones are for few rows. An element has the same bits in each.
enum class TileSize { small, medium, tall, large, narrow };

/// Units by rows of a tile of the forward and backward products.
struct TileShape {
  std::uint32_t units, rows;
};
[[nodiscard]] TileShape tile_shape(TileSize size, Precision precision);
/// The sizes that a phase may be cut into.
[[nodiscard]] std::span<const TileSize> tile_sizes(Precision precision);

/// Inputs by units of a tile of the update.
inline constexpr TileShape update_tile{64, 128};

/// Tiles of one launch.
struct TileList {
  const Tile* tiles;
  std::uint32_t count;
  TileSize size;
};

/// Draws one layer's start: uniform on [-range, range].
struct InitLayer {
  std::uint64_t weights, bias, weight_count;
  std::uint32_t units, layer;
  float range;
};

/// Once per device: lets the kernels use the shared memory they need.
void prepare_layers();
void prepare_update();
void prepare_clipping();

void start_draw(const View& view, const InitLayer& layer, cudaStream_t stream);

/// Which buffer of each member.
enum class Buffer { current, best };

/// Copies parameters of members [first, first + count) to `to`, [count][parameters].
void start_collect(const View& view, Buffer buffer, std::uint32_t first, std::uint32_t count, float* to,
                   cudaStream_t stream);

/// Gives every member the rows [first, first + rows) of x [owners][all][d].
void start_inputs(const View& view, const float* x, std::uint32_t owners, std::uint32_t all, std::uint32_t first,
                  std::uint32_t rows, cudaStream_t stream);

/// Decides what each member does in this round and gathers the rows for it.
void start_round(const View& view, cudaStream_t stream);

void start_forward(const View& view, const TileList& tiles, Precision precision, cudaStream_t stream);

/// Outputs of all rows, their losses, the slopes of the heads and, in training, the deltas that come from heads only.
void start_row_losses(const View& view, cudaStream_t stream);

/// Only the outputs, to out [M][rows][outputs].
void start_outputs(const View& view, float* out, std::uint32_t rows, cudaStream_t stream);

/// Adds up each member's loss and decides whether and how it is updated.
void start_decision(const View& view, cudaStream_t stream);

void start_backward(const View& view, const TileList& tiles, Precision precision, cudaStream_t stream);

/// The factors that keep gradients within the members' clip norms.
void start_clipping(const View& view, std::uint32_t tiles, Precision precision, std::uint32_t blocks,
                    cudaStream_t stream);

/// Weight gradients and Adam in one pass, for the first `tiles` tiles. `transposed`: some job has transposed values.
void start_update(const View& view, std::uint32_t tiles, bool transposed, Precision precision, cudaStream_t stream);

/// What a member needs in shared memory.
struct ResidentSize {
  std::size_t parameters, workspace, rows;
  std::size_t ordered_rows;  ///< of the order of an epoch's rows; 0 without batches
  bool amsgrad;
};
[[nodiscard]] std::size_t resident_bytes(const ResidentSize& size);

/// Once per device: lets blocks use `bytes` of shared memory.
void prepare_resident(std::size_t bytes);

/// Many rounds of every member in one launch, for members that fit into `bytes` of shared memory.
void start_resident(const View& view, std::uint32_t rounds, std::size_t bytes, cudaStream_t stream);

/// Sums of squares of the weights, as the update leaves them.
void start_squares(const View& view, cudaStream_t stream);

}  // namespace nomu::engine::cuda
