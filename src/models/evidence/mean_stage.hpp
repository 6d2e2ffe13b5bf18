#pragma once
// First stage: mean networks for every candidate penalty and fold, and which candidates form the model.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/evidence/rows/folded_rows.hpp"
#include "models/network/train.hpp"
#include "nomu/models/nomu.hpp"

namespace nomu {

/// Mean networks (member, fold, candidate), trained on the residuals of a linear trend.
struct MeanStage {
  Trained trained;
  std::vector<Trend> trends;           ///< [member, fold]
  std::vector<double> residual_scale;  ///< [member, fold]: the networks learned the residuals divided by this
  /// Predictions of rows that the predicting network has not seen, [member][candidate][row].
  std::vector<std::vector<std::vector<double>>> unseen;
};

/// `penalties` [member][candidate], per row of a batch; the same number of candidates for all members.
[[nodiscard]] MeanStage train_means(const NomuSpec& spec, std::span<const FoldedRows> members,
                                    std::span<const std::vector<double>> penalties, bool linear_trend, Engine& engine,
                                    const Progress& progress);

/// Candidates that form a model, best first, with weights that add up to 1.
struct Chosen {
  std::vector<std::size_t> candidates;
  std::vector<double> weights;

  /// The mixture's predictions, [row].
  [[nodiscard]] std::vector<double> mixed(std::span<const std::vector<double>> predictions) const;
};

/// The `count` candidates whose mixture predicts the unseen rows `judges` best, added one after the other.
/// `weights`: of all rows; empty: they count alike.
[[nodiscard]] Chosen choose(std::span<const std::vector<double>> unseen, std::span<const double> targets,
                            std::span<const std::size_t> judges, std::size_t count, std::int64_t threads,
                            std::span<const double> weights = {});

}  // namespace nomu
