#pragma once
// Everything about a plan's members that training reads and never changes, as arrays on the device.

#include <vector>

#include "engine/cuda/device.hpp"
#include "engine/cuda/kernels/tables.hpp"
#include "engine/cuda/program.hpp"
#include "engine/plan.hpp"

namespace nomu::engine::cuda {

class CohortData {
 public:
  explicit CohortData(const TrainPlan& plan);

  void describe(View& view) const;
  [[nodiscard]] const std::vector<MemberInfo>& info() const { return info_; }

 private:
  std::vector<MemberInfo> info_;
  std::uint32_t most_data_rows_ = 0;
  std::uint32_t pool_rows_ = 0, point_owners_ = 0;
  DeviceArray<MemberInfo> device_info_;
  DeviceArray<float> x_, y_, weight_, noise_, points_, dropout_, l2_;
  DeviceArray<double> recurrence_;
};

/// The largest step of any member.
[[nodiscard]] StepSize step_size(const TrainPlan& plan, Precision precision);

}  // namespace nomu::engine::cuda
