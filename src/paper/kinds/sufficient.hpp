#pragma once
// The few numbers of a run from which every metric of the paper's synthetic tables follows, whatever c is chosen.

#include <span>
#include <string>
#include <vector>

#include "paper/kinds/kind.hpp"

namespace nomu {

/// "auc", "min_nll", "rmse", "log_sigma", "z_squared".
[[nodiscard]] const std::vector<std::string>& sufficient_names();

/// One for each name: AUC, min NLL without its constant, RMSE, mean of ln sigma, mean of z^2. Throws DataError where
/// they are not defined.
[[nodiscard]] std::vector<double> sufficient_values(std::span<const double> mean, std::span<const double> sigma,
                                                    std::span<const double> target);

/// The same for every run of a piece, fitted as it is: how kinds that keep these numbers measure.
[[nodiscard]] std::vector<Measured> measure_sufficient(const ExperimentSpec& spec, const Piece& piece,
                                                       std::span<const RunData* const> data, Engine& engine,
                                                       const Progress& progress);

}  // namespace nomu
