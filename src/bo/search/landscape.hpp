#pragma once
// The acquisition of every run of a cohort as functions on the unit cube, evaluated in batches.

#include <span>
#include <stop_token>
#include <vector>

#include "nomu/bo/proposal.hpp"

namespace nomu {

/// Whose acquisition a search climbs, with which c: several searches may belong to one run.
struct Seeker {
  std::size_t run = 0;
  double c = 1.0;
};

class Landscape {
 public:
  /// All arguments must outlive it. `each` works on several searches at a time.
  Landscape(const FittedCohort& models, const Space& space, std::span<const RunKnowledge> runs, AcquisitionKind kind,
            const ForEach& each, std::stop_token stop);

  [[nodiscard]] const Space& space() const { return space_; }
  [[nodiscard]] const ForEach& each() const { return each_; }
  [[nodiscard]] std::uint64_t seed_of(std::size_t run) const { return runs_[run].seed; }

  /// Values at units [q][variables], `counts` [S] of them for each of the searches [S]; minus infinity where the point
  /// is infeasible or known.
  [[nodiscard]] std::vector<double> values(std::span<const double> units, std::span<const std::size_t> counts,
                                           std::span<const Seeker> seekers) const;

  /// The same with the slope by every unit coordinate, [q][variables]; empty where the method offers no slopes. Along
  /// integers and categories it is 0.
  [[nodiscard]] std::vector<double> slopes(std::span<const double> units, std::span<const std::size_t> counts,
                                           std::span<const Seeker> seekers) const;

  /// Whether Dynamic c asks for another proposal.
  [[nodiscard]] bool bored(std::size_t run, std::span<const double> point, const DynamicC& dynamic) const;

 private:
  struct Batch;
  [[nodiscard]] Batch gather(std::span<const double> units, std::span<const std::size_t> counts,
                             std::span<const Seeker> seekers) const;
  /// The chance of success of every point of the batch, [q].
  [[nodiscard]] std::vector<double> successes(const Batch& batch, std::span<const std::size_t> counts,
                                              std::span<const Seeker> seekers) const;
  [[nodiscard]] bool known(const RunKnowledge& run, std::span<const double> inputs) const;

  const FittedCohort& models_;
  const Space& space_;
  std::span<const RunKnowledge> runs_;
  AcquisitionKind kind_;
  const ForEach& each_;
  std::stop_token stop_;
};

}  // namespace nomu
