#pragma once
// How much of what a process has learned is due to each variable.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bo/surrogate/process.hpp"
#include "bo/surrogate/target_warp.hpp"
#include "nomu/bo/space.hpp"

namespace nomu {

/// Indices of rows that are not crowded, in ascending order. Most trials end up around the best point, where they would
/// drown what the others say about the whole space.
[[nodiscard]] std::vector<std::size_t> spread_rows(const Space& space, const std::vector<Point>& points);

/// The share of each variable in the total effects on the posterior mean, in units of the results (Sobol's indices,
/// which add up to 1 here).
[[nodiscard]] std::vector<double> total_effects(const Process& process, const TargetWarp& warp, const Space& space,
                                                std::uint64_t seed);

}  // namespace nomu
