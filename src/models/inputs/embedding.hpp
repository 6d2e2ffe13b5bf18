#pragma once
// More inputs from the same columns: for each number also its position within each of several steps between its
// quantiles, so that a network finds thresholds and bends without having to learn where they are.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nomu/core/tensor.hpp"

namespace nomu {

/// E steps: step e is clamp((x[source] - low) / width, 0, 1), or always 0 where the width is 0.
struct Step {
  std::size_t source = 0;
  double low = 0.0;
  double width = 0.0;
};

/// At most `count` steps between the quantiles of the values, or between all of them if they are few.
[[nodiscard]] std::vector<Step> steps_of(std::vector<double> values, std::size_t source, std::size_t count);

/// The inputs and, behind them, the steps, [q][d + E].
[[nodiscard]] std::vector<double> embedded(std::span<const double> x, std::size_t cols, std::span<const Step> steps,
                                           std::int64_t threads = 1);

/// The same for cohorts: x [1 or M][q][d] with steps [M][3][E] (source, low, width) as [M][q][d + E].
[[nodiscard]] Tensor<float> embedded(const Tensor<float>& x, const Tensor<float>& steps, std::int64_t threads = 1);

/// Writes the steps as numbers [3][E]; `are_steps` checks that such numbers are steps of rows with this many inputs.
void store_steps(std::span<const Step> steps, std::span<float> numbers);
[[nodiscard]] bool are_steps(std::span<const float> numbers, std::size_t cols);

}  // namespace nomu
