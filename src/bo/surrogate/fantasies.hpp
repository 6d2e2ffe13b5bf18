#pragma once
// What the results that are on their way may be: draws from a process at its believed points, and the means that follow
// from each draw.

#include <cstdint>
#include <span>
#include <vector>

#include "bo/surrogate/process.hpp"

namespace nomu {

class Fantasies {
 public:
  /// Draws for all believed points of a process, which must outlive it; the draws of a point depend on the seed and its
  /// place alone. `best` is the best result so far.
  Fantasies(const Process& process, double best, std::uint64_t seed);

  [[nodiscard]] std::size_t count() const { return bests_.size(); }
  /// The best value of each draw: that of the results so far, or of a believed point.
  [[nodiscard]] const std::vector<double>& bests() const { return bests_; }
  /// Means at a point, [count].
  [[nodiscard]] Vector means(std::span<const double> inputs) const;
  /// Their slopes by every input, [count][inputs].
  [[nodiscard]] RowMatrix slopes(std::span<const double> inputs) const;

 private:
  const Process* process_;
  RowMatrix weights_;  // [count][known]
  std::vector<double> bests_;
};

}  // namespace nomu
