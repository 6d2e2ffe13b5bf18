#pragma once
// Members of one cohort, each with its own rows and its own scaling, used from outside in the units of the target. A
// member's scaling depends only on rows that the member was trained on.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nomu/models/model.hpp"

namespace nomu {

/// Fitted members with the scaling of each.
struct Members {
  std::shared_ptr<const FittedCohort> fitted;
  std::vector<MemberScaling> scalings;
};

/// Fits one member per data set, all in lockstep, each from its own seed. The method must have all automatic choices
/// made. Members may have diverged.
[[nodiscard]] Members fit_members(const FitSpec& spec, std::span<const DataSet> data,
                                  std::span<const std::uint64_t> seeds, Engine& engine, const Progress& progress);

/// The same from the seed of the spec; the prediction for a row depends only on that row. Throws Error if a member
/// diverged.
[[nodiscard]] Members fit_members(const FitSpec& spec, std::span<const DataSet> data, Engine& engine,
                                  const Progress& progress);

/// How the members of a model are fitted; throws Error if one diverged.
using MemberFit = std::function<Members(const FitSpec& spec, std::span<const DataSet> data, Engine& engine,
                                        const Progress& progress)>;

/// `fit` of a whole model whose members are fitted by the given function instead of the method.
[[nodiscard]] Model fit_with(const FitSpec& spec, const DataSet& data, const MemberFit& fit_all,
                             std::shared_ptr<Engine> engine, const Progress& progress);

/// Models of data sets that have the same inputs and differ in their targets, fitted as one cohort: each is the model
/// that it would be alone.
[[nodiscard]] std::vector<Model> fit_together(const FitSpec& spec, std::span<const DataSet> data,
                                              const MemberFit& fit_all, std::shared_ptr<Engine> engine,
                                              const Progress& progress);
[[nodiscard]] std::vector<Model> fit_together(const FitSpec& spec, std::span<const DataSet> data,
                                              std::shared_ptr<Engine> engine, const Progress& progress);

/// The scaling that the spec asks for, learned from these rows.
[[nodiscard]] MemberScaling scaling_for(const FitSpec& spec, const DataSet& data);

/// Inputs and target of a row, to recognise it among others.
[[nodiscard]] std::vector<double> row_key(const DataSet& data, std::size_t row);

/// Throws Error naming the member that diverged.
void refuse_diverged(const std::vector<FitReport>& reports);

/// Predictions of each member m at its own rows, x[m] [q_m][d].
[[nodiscard]] std::vector<PredictedRows> predict_each(const FittedCohort& fitted,
                                                      std::span<const MemberScaling> scalings,
                                                      std::span<const std::vector<double>> x);

/// An input so far from the data that it overflows in single precision, where results become meaningless.
struct FarValue {
  std::size_t index = 0;  ///< in x
  std::string text;       ///< what is wrong with it
};

/// The first such input of x, whose scaled values are given.
[[nodiscard]] std::optional<FarValue> far_value(std::span<const double> scaled, std::span<const double> x);

/// The rows of x[m] on the scale of member m, padded with zeros to the longest, [M][q][d].
[[nodiscard]] Tensor<float> scaled_rows(std::span<const MemberScaling> scalings,
                                        std::span<const std::vector<double>> x);

}  // namespace nomu
