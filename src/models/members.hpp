#pragma once
// Members of one cohort that each learned from rows of their own in scales of their own, seen from outside in the units
// of the target. No member's scaling knows a row that the member itself does not.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "nomu/models/model.hpp"

namespace nomu {

/// Fitted members with the scaling of each.
struct Members {
  std::shared_ptr<const FittedCohort> fitted;
  std::vector<MemberScaling> scalings;
};

/// Fits one member per data set, all in lock step, each from its own seed; a member may have diverged.
[[nodiscard]] Members fit_members(const FitSpec& spec, std::span<const DataSet> data,
                                  std::span<const std::uint64_t> seeds, Engine& engine, const Progress& progress);

/// The same from the seed of the spec. Throws Error when one diverged.
[[nodiscard]] Members fit_members(const FitSpec& spec, std::span<const DataSet> data, Engine& engine,
                                  const Progress& progress);

/// Each member m at rows of its own, x[m] [q_m][d].
[[nodiscard]] std::vector<PredictedRows> predict_each(const FittedCohort& fitted,
                                                      std::span<const MemberScaling> scalings,
                                                      std::span<const std::vector<double>> x);

/// The rows of x[m] in the scale of member m, padded with zeros to the longest, [M][q][d].
[[nodiscard]] Tensor<float> scaled_rows(std::span<const MemberScaling> scalings,
                                        std::span<const std::vector<double>> x);

}  // namespace nomu
