#pragma once
// A network under a dropout mask, as parameters of a network without dropout.

#include <cstdint>

#include "engine/plan.hpp"
#include "nomu/core/tensor.hpp"

namespace nomu {

/// Parameters [passes][1][P] of one member: pass p is its network without the units that stochastic pass `first + p`
/// drops for the first row. The outgoing weights of a dropped unit are 0, all others are scaled up.
[[nodiscard]] Tensor<float> thinned_parameters(const engine::Networks& networks, std::size_t member,
                                               const Tensor<float>& parameters, std::uint64_t seed, std::uint32_t first,
                                               std::uint32_t passes);

/// The networks that these parameters belong to.
[[nodiscard]] engine::Networks without_dropout(const engine::Networks& networks);

}  // namespace nomu
