#pragma once
// One data set of a cohort with its folds, and the bookkeeping of networks that are trained once per fold.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/drawn_in.hpp"
#include "engine/plan.hpp"
#include "models/evidence/rows/trend.hpp"
#include "models/inputs/embedding.hpp"
#include "nomu/data/cohort.hpp"
#include "nomu/data/dataset.hpp"
#include "nomu/data/split.hpp"
#include "nomu/engine/engine.hpp"

namespace nomu {

/// A data set on the scale of its fit, with its folds: each network is trained without the test part of one of them.
struct FoldedRows {
  DataSet rows;   ///< with steps as further inputs
  DataSet plain;  ///< without
  std::vector<Step> steps;
  DrawnIn drawn;  ///< how its inputs are drawn in
  std::vector<Split> folds = {};
  std::vector<std::size_t> judges = {};  ///< rows that choose among candidates, see `judging_rows`
  /// [fold], those rows of its test part that are among others like them; empty: all.
  std::vector<std::vector<std::size_t>> usual = {};
  std::uint64_t seed = 0;
};

/// The training rows of every network (member, fold, candidate), with these targets [n]; `targets` has one entry per
/// member.
[[nodiscard]] Cohort training_cohort(std::span<const FoldedRows> members, std::span<const std::vector<double>> targets,
                                     std::size_t candidates, std::int64_t threads);

/// Outputs of the networks (member, fold, candidate) at the rows their fold leaves out:
/// [member][candidate][row][output].
class UnseenOutputs {
 public:
  UnseenOutputs(std::span<const FoldedRows> members, std::size_t candidates, const engine::Networks& networks,
                const Tensor<float>& parameters, Engine& engine);

  [[nodiscard]] double at(std::size_t member, std::size_t candidate, std::size_t row, std::size_t output) const {
    return all_[member][(candidate * rows_[member] + row) * width_ + output];
  }

 private:
  std::size_t width_;
  std::vector<std::size_t> rows_;
  std::vector<std::vector<double>> all_;
};

/// The rows with steps as further inputs; the descriptions of the columns are dropped.
[[nodiscard]] DataSet with_steps(const DataSet& plain, std::span<const Step> steps, std::int64_t threads);

/// Share of the rows that one training step sees: penalties are added to the sum over a batch.
[[nodiscard]] double batch_share(const Cohort& cohort, std::size_t network, std::int64_t batch_size);

}  // namespace nomu
