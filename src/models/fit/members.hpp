#pragma once
// Members of one cohort that each learned from rows of their own in scales of their own, seen from outside in the units
// of the target. No member's scaling knows a row that the member itself does not.

#include <cstdint>
#include <functional>
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

/// Fits one member per data set, all in lock step, each from its own seed. The method leaves nothing to be chosen. A
/// member may have diverged.
[[nodiscard]] Members fit_members(const FitSpec& spec, std::span<const DataSet> data,
                                  std::span<const std::uint64_t> seeds, Engine& engine, const Progress& progress);

/// The same from the seed of the spec, every row predicted as a function of the row alone. Throws Error when one
/// diverged.
[[nodiscard]] Members fit_members(const FitSpec& spec, std::span<const DataSet> data, Engine& engine,
                                  const Progress& progress);

/// How the members of a model are fitted; throws Error when one diverged.
using MemberFit = std::function<Members(const FitSpec& spec, std::span<const DataSet> data, Engine& engine,
                                        const Progress& progress)>;

/// `fit` of a whole model with members fitted in another way than by the method alone.
[[nodiscard]] Model fit_with(const FitSpec& spec, const DataSet& data, const MemberFit& fit_all,
                             std::shared_ptr<Engine> engine, const Progress& progress);

/// The scales that the spec asks for, learned from these rows.
[[nodiscard]] MemberScaling scaling_for(const FitSpec& spec, const DataSet& data);

/// Throws Error naming the member that diverged.
void refuse_diverged(const std::vector<FitReport>& reports);

/// Each member m at rows of its own, x[m] [q_m][d].
[[nodiscard]] std::vector<PredictedRows> predict_each(const FittedCohort& fitted,
                                                      std::span<const MemberScaling> scalings,
                                                      std::span<const std::vector<double>> x);

/// The rows of x[m] in the scale of member m, padded with zeros to the longest, [M][q][d].
[[nodiscard]] Tensor<float> scaled_rows(std::span<const MemberScaling> scalings,
                                        std::span<const std::vector<double>> x);

}  // namespace nomu
