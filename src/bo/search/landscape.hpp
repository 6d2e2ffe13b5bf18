#pragma once
// The acquisitions of all runs of a cohort as functions on the unit cube, evaluated in batches.

#include <span>
#include <stop_token>
#include <vector>

#include "nomu/bo/proposal.hpp"

namespace nomu {

/// What one search maximises: the acquisition of a run, with this c. Several searches may belong to one run.
struct SearchTask {
  std::size_t run = 0;
  double c = 1.0;
};

class Landscape {
 public:
  /// All arguments must outlive it. `each` may work on several searches at a time.
  Landscape(const FittedCohort& models, const Space& space, std::span<const RunKnowledge> runs, AcquisitionKind kind,
            const ForEach& each, std::stop_token stop);

  [[nodiscard]] const Space& space() const { return space_; }
  [[nodiscard]] const ForEach& each() const { return each_; }
  [[nodiscard]] std::uint64_t seed_of(std::size_t run) const { return runs_[run].seed; }

  /// Values at units [q][variables], of which `counts` [S] belong to each search; minus infinity if a point is
  /// infeasible or known.
  [[nodiscard]] std::vector<double> values(std::span<const double> units, std::span<const std::size_t> counts,
                                           std::span<const SearchTask> tasks) const;

  /// The slope along every unit coordinate, [q][variables]; empty if the method has no slopes. It is 0 along integers
  /// and categories.
  [[nodiscard]] std::vector<double> slopes(std::span<const double> units, std::span<const std::size_t> counts,
                                           std::span<const SearchTask> tasks) const;

  /// Whether the point is so close to a known one that Dynamic c asks for another proposal.
  [[nodiscard]] bool too_close(std::size_t run, std::span<const double> point, const DynamicC& dynamic) const;

 private:
  struct Batch;
  [[nodiscard]] Batch gather(std::span<const double> units, std::span<const std::size_t> counts,
                             std::span<const SearchTask> tasks) const;
  /// The probability of success of every point of the batch, [q].
  [[nodiscard]] std::vector<double> success_probabilities(const Batch& batch, std::span<const std::size_t> counts,
                                                          std::span<const SearchTask> tasks) const;
  [[nodiscard]] bool known(const RunKnowledge& run, std::span<const double> inputs) const;

  const FittedCohort& models_;
  const Space& space_;
  std::span<const RunKnowledge> runs_;
  AcquisitionKind kind_;
  const ForEach& each_;
  std::stop_token stop_;
};

}  // namespace nomu
