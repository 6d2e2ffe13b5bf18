#pragma once
// How well networks predict the results of a study that they have not seen.

#include <cstdint>
#include <vector>

#include "nomu/bo/optimize_spec.hpp"
#include "nomu/core/progress.hpp"
#include "nomu/engine/engine.hpp"

namespace nomu {

/// Mean log density of results under networks that were trained without them, in folds, with sigma scaled by the factor
/// that suits all folds best. `targets` are scaled to [-1,1]. Minus infinity if a fold diverged.
[[nodiscard]] double network_score(const OptimizeSpec& spec, std::size_t inputs, const std::vector<double>& x,
                                   const std::vector<double>& targets, std::uint64_t seed, Engine& engine,
                                   const Progress& progress);

}  // namespace nomu
