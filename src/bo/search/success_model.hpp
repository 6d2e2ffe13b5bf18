#pragma once
// How likely a point is to have a result at all, learned from those that had one and those that failed.

#include <memory>
#include <span>

#include "nomu/core/progress.hpp"
#include "nomu/engine/engine.hpp"
#include "nomu/models/fitted.hpp"

namespace nomu {

/// A Gaussian process of one member, 1 at `finished` and -1 at `failed` ([n][inputs] both), with a length for each
/// input, so that a border along one of them is seen as such, and with noise, since some fail by chance.
/// Of many points some are taken. Null where one of the two is empty.
[[nodiscard]] std::shared_ptr<const FittedCohort> fit_success(std::span<const double> finished,
                                                              std::span<const double> failed, std::size_t inputs,
                                                              Engine& engine, const Progress& progress);

/// What a prediction of that model is worth as a chance, in [0,1]: one deviation below it.
[[nodiscard]] double chance_of_success(double mean, double sigma);

}  // namespace nomu
