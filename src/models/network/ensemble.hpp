#pragma once
// K fits for each member of a cohort, side by side in one plan, and their way back to one answer a member.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nomu/core/tensor.hpp"
#include "nomu/data/cohort.hpp"
#include "nomu/models/fitted.hpp"

namespace nomu {

/// Each member K times with seeds derived from its own; the cohort itself for K = 1. Part k of member m is m K + k.
[[nodiscard]] Cohort spread(const Cohort& cohort, std::size_t parts);

/// x [1 or M][q][d] for M K parts: shared, or each member's rows K times.
[[nodiscard]] Tensor<float> spread(const Tensor<float>& x, std::size_t members, std::size_t parts);

/// Which parts the member's answer is made of, [M K]: those that did not diverge, or all where every one did.
[[nodiscard]] std::vector<bool> kept_parts(std::span<const FitReport> parts, std::size_t per_member);

/// One report a member: losses and histories averaged over the kept parts, restarts added up.
[[nodiscard]] std::vector<FitReport> merged(std::vector<FitReport> parts, const std::vector<bool>& kept,
                                            std::span<const std::uint64_t> seeds);

/// The same where every part has its say in the answer: the member diverged where one of them did.
[[nodiscard]] std::vector<FitReport> merged(std::vector<FitReport> parts, std::span<const std::uint64_t> seeds);

/// One report of two stages, one after the other: the losses it ends with are those of the second.
[[nodiscard]] FitReport joined(FitReport first, const FitReport& second);

}  // namespace nomu
