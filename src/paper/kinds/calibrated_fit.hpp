#pragma once
// Runs on data sets with noise: fit on one part of the rows, calibrate on another, fit again on both, judge on a third.
// Two protocols: what a user of the library would do, and what the paper's authors did.

#include <span>
#include <string>
#include <vector>

#include "paper/kinds/kind.hpp"

namespace nomu {

/// "nll" (constant included), "rmse", "crps", "coverage" (of 90 % Gaussian bounds), "c_model", "c_noise": what each run
/// gives, in the units of the target.
[[nodiscard]] const std::vector<std::string>& calibrated_names();

/// Fits all runs as one cohort, every run standardised by the rows it learns from. Protocols of the piece's method:
/// "refit" (or none): factors for model and noise deviation, or one where no noise is predicted, from the validation
/// rows; then a fit on training and validation rows.
/// "published": sigma_min, sigma_max and one c (to three decimals) from the validation rows; then a fit on the first n
/// of validation and training rows, n being the number of the latter. Only for NOMU without noise.
/// Throws ConfigError for any other.
[[nodiscard]] std::vector<Measured> fit_calibrated(const Piece& piece, std::span<const RunData* const> data,
                                                   Engine& engine, const Progress& progress);

}  // namespace nomu
