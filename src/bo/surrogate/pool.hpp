#pragma once
// Candidate points for large batches: adding a pending point updates all their variances at the cost of one row.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "bo/surrogate/process.hpp"

namespace nomu {

class Pool {
 public:
  /// `inputs` [q][inputs]; `log_worth` [q] is added to the promise of each, or empty.
  Pool(const Process& process, RowMatrix inputs, std::vector<double> log_worth);

  /// Takes into account the points that were added to the process by `believe` since the last call.
  void follow(const Process& process);
  /// The most promising point of those that are at least `apart` from all that were believed, and not left out.
  [[nodiscard]] std::optional<std::size_t> best(double best_value, double apart) const;
  void leave_out(std::size_t k) { left_out_[k] = 1; }

 private:
  void add_row(const Process& process, Eigen::Index row);

  RowMatrix inputs_;
  std::vector<double> log_worth_;
  std::vector<double> means_;
  Vector squares_;  // [q], share of the variance that is explained so far
  RowMatrix rows_;  // [>= count][q], L^-1 k for every point
  Eigen::Index count_ = 0;
  double scale_ = 1.0;           // standard deviation of the function
  std::vector<double> nearest_;  // [q], distance to the nearest believed point
  std::vector<char> left_out_;
};

}  // namespace nomu
