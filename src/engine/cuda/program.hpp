#pragma once
// A step of the networks cut into launches and tiles, worked out once per plan on the host and then copied to the
// device.

#include <cstdint>
#include <vector>

#include "engine/cuda/device.hpp"
#include "engine/cuda/kernels/kernels.hpp"
#include "engine/cuda/kernels/tables.hpp"
#include "engine/layout.hpp"

namespace nomu::engine::cuda {

/// The size of a step.
struct StepSize {
  std::uint32_t rows = 0;       ///< of any member's step, artificial ones included
  std::uint32_t data_rows = 0;  ///< the data rows among them
  bool training = false;        ///< false: forward only
  bool transposed = false;      ///< whether values are kept transposed where that helps
};

struct Program {
  std::vector<Segment> segments;
  std::vector<HeadTerm> terms;
  std::vector<ForwardJob> forward;
  std::vector<BackwardJob> backward;
  std::vector<UpdateJob> update;
  std::vector<LayerNorm> layer_norms;
  std::vector<Output> outputs;
  std::vector<InitLayer> init;
  std::vector<std::vector<std::uint32_t>> forward_phases, backward_phases;  ///< of jobs
  std::vector<Tile> update_tiles;                                           ///< of trainable nets first
  std::uint32_t trainable_tiles = 0;
  std::uint64_t workspace = 0;  ///< floats per member
  std::uint64_t x = 0;
  std::uint32_t input_ld = 0;
};

[[nodiscard]] Program make_program(const Networks& networks, const Layout& layout, const StepSize& size);

/// Number of floats that a member's step needs; builds nothing.
[[nodiscard]] double workspace_floats(const Layout& layout, const StepSize& size);

/// The tables of a program on the device, with the tiles of each phase.
class DeviceProgram {
 public:
  DeviceProgram(const Program& program, const StepSize& size, std::uint32_t members, std::uint32_t processors,
                Precision precision);

  /// Fills in the parts of a view that depend on the program.
  void describe(View& view) const;
  [[nodiscard]] const std::vector<TileList>& forward() const { return forward_lists_; }
  /// Without the layers whose deltas come from heads only: those are written together with the losses.
  [[nodiscard]] const std::vector<TileList>& backward() const { return backward_lists_; }
  [[nodiscard]] std::uint32_t trainable_tiles() const { return trainable_tiles_; }
  [[nodiscard]] bool transposed() const { return transposed_; }

 private:
  std::uint64_t workspace_, x_;
  std::uint32_t input_ld_, trainable_tiles_;
  bool transposed_;
  DeviceArray<Segment> segments_;
  DeviceArray<HeadTerm> terms_;
  DeviceArray<ForwardJob> forward_;
  DeviceArray<BackwardJob> backward_;
  DeviceArray<UpdateJob> update_;
  DeviceArray<LayerNorm> layer_norms_;
  DeviceArray<Output> outputs_;
  DeviceArray<Tile> update_tiles_, phase_tiles_;
  DeviceArray<std::uint32_t> update_order_, top_;
  std::vector<TileList> forward_lists_, backward_lists_;
};

}  // namespace nomu::engine::cuda
