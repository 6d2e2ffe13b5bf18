#pragma once
// A linear model of the target, in closed form: what a penalised network falls back to where the rows say little.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nomu/data/dataset.hpp"
#include "nomu/data/split.hpp"
#include "nomu/eval/warp.hpp"

namespace nomu {

struct Trend {
  double intercept = 0.0;
  std::vector<double> slopes;  ///< [d]

  [[nodiscard]] double at(std::span<const double> row) const;
};

/// Ridge regression on the given rows, its penalty by generalised cross-validation; a constant if there are more than
/// a few hundred inputs or `linear` is false.
[[nodiscard]] Trend fit_trend(const DataSet& data, std::span<const std::size_t> rows, bool linear);

/// Errors of linear models at unseen rows, [n]; 0 for rows that no fold leaves out.
[[nodiscard]] std::vector<double> linear_errors(const DataSet& data, std::span<const Split> folds,
                                                std::int64_t threads);

/// Half the logarithm of the mean square of such errors: their negative log-likelihood up to a constant.
[[nodiscard]] double linear_loss(std::span<const double> errors);

/// The warp of the targets, other than the identity, under which linear models predict unseen rows best, by Gaussian
/// likelihood on the scale of the targets. The identity if every warp is clearly worse.
[[nodiscard]] Warp promising_warp(const DataSet& data, std::span<const Split> folds, std::int64_t threads);

}  // namespace nomu
