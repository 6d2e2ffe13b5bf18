#pragma once
// What an evaluation is expected to cost: a process of the logarithms of the costs that were told.

#include <memory>
#include <span>
#include <vector>

#include "bo/surrogate/process.hpp"
#include "nomu/bo/space.hpp"

namespace nomu {

class CostModel {
 public:
  CostModel(Process process, double centre, double width)
      : process_(std::move(process)), centre_(centre), width_(width) {}

  /// The logarithm of the expected cost; `slopes` by every input, or empty.
  [[nodiscard]] double log_at(std::span<const double> inputs, std::span<double> slopes = {}) const;

 private:
  Process process_;
  double centre_;
  double width_;
};

/// `costs` [points], 0 where none was told. Null if fewer than four were told, or all are equal.
[[nodiscard]] std::shared_ptr<const CostModel> learn_cost(const Space& space, const std::vector<Point>& points,
                                                          const std::vector<double>& costs);

}  // namespace nomu
