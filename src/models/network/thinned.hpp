#pragma once
// What dropout leaves of a network, as parameters of a network without dropout.

#include <cstdint>

#include "engine/plan.hpp"
#include "nomu/core/tensor.hpp"

namespace nomu {

/// Parameters [passes][1][P] of one member: pass p is its network without the units that the first row loses in
/// stochastic pass `first + p`. The weights behind a unit that is left out are 0, all others are scaled up.
[[nodiscard]] Tensor<float> thinned_parameters(const engine::Networks& networks, std::size_t member,
                                               const Tensor<float>& parameters, std::uint64_t seed, std::uint32_t first,
                                               std::uint32_t passes);

/// The networks such parameters belong to.
[[nodiscard]] engine::Networks without_dropout(const engine::Networks& networks);

}  // namespace nomu
