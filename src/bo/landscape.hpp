#pragma once
// The acquisition of every run of a cohort as functions on the unit cube, evaluated in batches.

#include <span>
#include <stop_token>
#include <vector>

#include "nomu/bo/proposal.hpp"

namespace nomu {

class Landscape {
 public:
  /// All arguments must outlive it.
  Landscape(const FittedCohort& models, const Space& space, std::span<const RunKnowledge> runs, AcquisitionKind kind,
            std::stop_token stop);

  [[nodiscard]] const Space& space() const { return space_; }
  [[nodiscard]] std::size_t runs() const { return runs_.size(); }

  /// Values at units [q][variables], `counts` [M] of them for each run; minus infinity where the point is infeasible
  /// or known. `c` is [M].
  [[nodiscard]] std::vector<double> values(std::span<const double> units, std::span<const std::size_t> counts,
                                           std::span<const double> c) const;

  /// The same with the slope by every unit coordinate, [q][variables]; empty where the method offers no slopes. Along
  /// integers and categories it is 0.
  [[nodiscard]] std::vector<double> slopes(std::span<const double> units, std::span<const std::size_t> counts,
                                           std::span<const double> c) const;

  /// Whether Dynamic c asks for another proposal.
  [[nodiscard]] bool bored(std::size_t run, std::span<const double> point, const DynamicC& dynamic) const;

 private:
  struct Batch;
  [[nodiscard]] Batch gather(std::span<const double> units, std::span<const std::size_t> counts) const;
  [[nodiscard]] bool known(const RunKnowledge& run, std::span<const double> inputs) const;

  const FittedCohort& models_;
  const Space& space_;
  std::span<const RunKnowledge> runs_;
  AcquisitionKind kind_;
  std::stop_token stop_;
};

}  // namespace nomu
