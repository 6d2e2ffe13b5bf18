#pragma once
// The few numbers of a run that determine every metric of the paper's synthetic tables, for any c.

#include <span>
#include <string>
#include <vector>

#include "paper/kinds/kind.hpp"

namespace nomu {

/// "auc", "min_nll", "rmse", "log_sigma", "z_squared".
[[nodiscard]] const std::vector<std::string>& sufficient_names();

/// One value per name: AUC, min NLL without its constant, RMSE, mean of ln sigma, mean of z^2. Throws DataError when
/// they are not defined.
[[nodiscard]] std::vector<double> sufficient_values(std::span<const double> mean, std::span<const double> sigma,
                                                    std::span<const double> target);

/// The same for every run of a piece, fitted without scaling: the `measure` of kinds that store these numbers.
[[nodiscard]] std::vector<Measured> measure_sufficient(const ExperimentSpec& spec, const Piece& piece,
                                                       std::span<const RunData* const> data, Engine& engine,
                                                       const Progress& progress);

}  // namespace nomu
