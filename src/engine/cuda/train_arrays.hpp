#pragma once
// What a training session keeps on the device, and how much memory that is.

#include "engine/cuda/device.hpp"
#include "engine/cuda/kernels/kernels.hpp"
#include "engine/cuda/kernels/tables.hpp"
#include "engine/cuda/program.hpp"
#include "engine/plan.hpp"

namespace nomu::engine::cuda {

inline constexpr std::int64_t history_length = 1024;      ///< epochs after which the host fetches the losses
inline constexpr std::size_t staging_bytes = 64U << 20U;  ///< for copies of parameters to the host

/// Everything that training changes.
struct TrainArrays {
  TrainArrays(const TrainPlan& plan, const Layout& layout, const Program& program, const StepSize& size, bool resident);
  void describe(View& view) const;

  DeviceArray<float> weights, first, second, largest, values, history, clip;
  DeviceArray<double> row_loss, squares, norms, clipped;
  DeviceArray<std::uint32_t> order, row_index, clip_needed;
  DeviceArray<Control> control;
  DeviceArray<MemberState> state;
};

/// Every member's parameters [M][1][P], each from the buffer that holds them.
[[nodiscard]] Tensor<float> collected(const View& view, Buffer buffer, const Stream& stream);

}  // namespace nomu::engine::cuda
