#pragma once
// What dropout leaves of a network, as parameters of a network without dropout.

#include <cstdint>

#include "engine/plan.hpp"
#include "nomu/core/tensor.hpp"

namespace nomu {

/// Parameters [passes][1][P] for one member's parameters [1][1][P]: pass p is the network with the units left out that
/// the first row loses in stochastic pass `first + p`. A unit that is left out feeds nothing, the others more.
[[nodiscard]] Tensor<float> thinned_parameters(const engine::Networks& networks, std::size_t member,
                                               const Tensor<float>& parameters, std::uint64_t seed, std::uint32_t first,
                                               std::uint32_t passes);

/// The networks such parameters belong to.
[[nodiscard]] engine::Networks without_dropout(const engine::Networks& networks);

}  // namespace nomu
