#pragma once
// The probability that an evaluation succeeds, learned from successes and failures.

#include <memory>
#include <span>

#include "nomu/core/progress.hpp"
#include "nomu/engine/engine.hpp"
#include "nomu/models/fitted.hpp"

namespace nomu {

/// A Gaussian process of one member that is 1 at `finished` and -1 at `failed`, both [n][inputs]. It has one length
/// scale per input, so that it can recognise a border along one of them, and noise, because some evaluations fail by
/// chance. It is fitted to at most 100 points of each kind. Null if one of the two is empty.
[[nodiscard]] std::shared_ptr<const FittedCohort> fit_success(std::span<const double> finished,
                                                              std::span<const double> failed, std::size_t inputs,
                                                              Engine& engine, const Progress& progress);

/// The probability of success for a prediction of that model, taken one sigma below the mean and clamped to [0,1].
[[nodiscard]] double success_probability(double mean, double sigma);

}  // namespace nomu
