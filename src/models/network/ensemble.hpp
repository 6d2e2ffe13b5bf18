#pragma once
// K fits per member of a cohort, trained together in one plan, and how their reports become one per member.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nomu/core/tensor.hpp"
#include "nomu/data/cohort.hpp"
#include "nomu/engine/engine.hpp"
#include "nomu/models/fitted.hpp"

namespace nomu {

/// Each member K times, with seeds derived from its own; the cohort itself for K = 1. Copy k of member m has index m K
/// + k.
[[nodiscard]] Cohort repeat_members(const Cohort& cohort, std::size_t parts);

/// x [1 or M][q][d] for M K networks: shared by all, or each member's rows K times.
[[nodiscard]] Tensor<float> repeat_rows(const Tensor<float>& x, std::size_t members, std::size_t parts,
                                        std::int64_t threads = 1);

/// The same as the engine's `predict` takes it: without copies where networks can share rows.
[[nodiscard]] Tensor<float> rows_for(Engine& engine, Tensor<float> x, std::size_t members, std::size_t parts);

/// Which networks contribute to a member's prediction, as weights [M][1][K]: 1 for those that did not diverge, or for
/// all if every one did, otherwise 0.
[[nodiscard]] Tensor<float> kept_networks(std::span<const FitReport> parts, std::size_t per_member);

/// One report per member: losses and histories averaged over its kept networks, restarts summed.
[[nodiscard]] std::vector<FitReport> merged(std::vector<FitReport> parts, const Tensor<float>& kept,
                                            std::span<const std::uint64_t> seeds);

/// The same if every network counts: the member has diverged if one of them has.
[[nodiscard]] std::vector<FitReport> merged(std::vector<FitReport> parts, std::span<const std::uint64_t> seeds);

/// Joins the reports of two consecutive stages; the final losses are those of the second.
[[nodiscard]] FitReport joined(FitReport first, const FitReport& second);

}  // namespace nomu
