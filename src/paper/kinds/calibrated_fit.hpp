#pragma once
// Runs on data sets with noise: fit on one part of the rows, calibrate on another, refit on both, score on a third.
// There are three protocols: what a user of the library would do, what the paper's authors did, and no calibration.

#include <span>
#include <string>
#include <vector>

#include "paper/kinds/kind.hpp"

namespace nomu {

/// What each run yields, in the units of the target: "nll" (constant included), "rmse", "crps", "coverage" (of 90 %
/// Gaussian bounds), "c_model", "c_noise".
[[nodiscard]] const std::vector<std::string>& calibrated_names();

/// Fits all runs as one cohort, each standardised by the rows it is fitted on. Protocols of the piece's method:
/// "refit" (or none): factors on model and noise deviation, or one if no noise is predicted, from the validation
/// rows; then a fit on training and validation rows.
/// "published": sigma_min, sigma_max and one c (to three decimals) from the validation rows; then a fit on the first n
/// of validation and training rows, where n is the number of training rows. Only for NOMU without noise.
/// "uncalibrated": one fit on training and validation rows, whose sigma is scored as it is.
/// Throws ConfigError for any other protocol. If the piece has candidates, each is fitted on the training rows; a run
/// takes the one whose NLL on the validation rows is least, with the factors found there, for its last fit.
[[nodiscard]] std::vector<Measured> fit_calibrated(const Piece& piece, std::span<const RunData* const> data,
                                                   Engine& engine, const Progress& progress);

}  // namespace nomu
