#pragma once
// Second stage: noise networks that learn from the errors at rows which the mean network had not seen. These errors do
// not collapse to 0, however well the mean network remembers its own rows.

#include <span>
#include <vector>

#include "models/evidence/rows/folded_rows.hpp"
#include "models/network/train.hpp"
#include "nomu/models/nomu.hpp"

namespace nomu {

struct NoiseStage {
  Trained trained;                  ///< networks (member, fold, candidate)
  std::size_t skipped = 0;          ///< parameters before those of the noise network
  std::vector<std::size_t> chosen;  ///< [member], the candidate that predicts unseen errors best
  std::vector<double> scale;        ///< [member], standard deviation for an output that represents 1
  std::vector<double> low, high;    ///< [member], range of standard deviations that unseen errors support
  /// Standard deviations of rows within those limits, by networks that have not seen their errors, [member][row].
  std::vector<std::vector<double>> unseen;
};

/// `errors` [member][row] of unseen rows.
[[nodiscard]] NoiseStage train_noise(const NomuSpec& spec, std::span<const FoldedRows> members,
                                     std::span<const std::vector<double>> errors, std::span<const double> penalties,
                                     Engine& engine, const Progress& progress);

}  // namespace nomu
