#pragma once
// What one more noisy result is worth: by how much it is expected to raise the best expected value among the points
// that are known and the new one. A point whose result would change no decision is worth nothing, however good it is.

#include <span>
#include <vector>

#include "bo/surrogate/process.hpp"

namespace nomu {

class KnowledgeGain {
 public:
  /// The process must outlive it.
  explicit KnowledgeGain(const Process& process);

  /// The logarithm of the gain, on the scale of the process.
  [[nodiscard]] double log_at(std::span<const double> inputs) const;

 private:
  const Process& process_;
  RowMatrix explained_;        // [known][known]
  std::vector<double> means_;  // [known]
};

/// E max(level_i + slope_i Z) - max(level_i) for a standard normal Z.
[[nodiscard]] double expected_rise(const std::vector<double>& levels, const std::vector<double>& slopes);

}  // namespace nomu
