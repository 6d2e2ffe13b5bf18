#pragma once
// The networks attached to a foreign one: sigma, which reads inputs and features, and noise, which also reads the mean.

#include <cstddef>

#include "engine/plan.hpp"
#include "models/network/fitted_network.hpp"
#include "nomu/models/foreign.hpp"

namespace nomu {

/// The spec for this network: a sigma network with filters reads the network's own images. Throws ConfigError if there
/// are filters but no images.
[[nodiscard]] NomuSpec adapted_to(const NomuSpec& spec, const ForeignNetwork& network);

/// Number of inputs that the sigma network reads besides the features: all, or none if they are pixels and it has no
/// filters.
[[nodiscard]] std::size_t foreign_inputs(const NomuSpec& spec, const ForeignNetwork& network);

/// Net 0 passes the features, the last columns, on to the head of sigma, net 1. Its own output, which would be the
/// mean, is not used. With filters, net 1 reads the inputs through them, and the features join its first dense layer.
[[nodiscard]] engine::Networks foreign_sigma_networks(const NomuSpec& spec, std::size_t inputs, std::size_t features);

/// What fitted sigma and noise networks consist of.
[[nodiscard]] NetworkDesign sigma_design(const NomuSpec& spec, const ForeignNetwork& network);
[[nodiscard]] NetworkDesign noise_design(const NomuSpec& spec, const ForeignNetwork& network);

/// Parameters of that net 0, [M][1][P]: each hidden unit is one feature, unchanged.
[[nodiscard]] Tensor<float> feature_carrier(const engine::Networks& networks, std::size_t features,
                                            std::size_t members);

/// Balances the initialisation of sigma's first dense layer: He's range depends only on the number of columns, so among
/// many features the inputs would hardly count. Inputs and features get half of the variance each.
void share_start(const engine::Networks& networks, std::size_t features, Tensor<float>& start);

/// Number of columns that the sigma network reads but the noise network does not: pixels.
[[nodiscard]] std::size_t skipped_by_noise(const NomuSpec& spec, std::size_t inputs);

/// Net 0 passes the last column, the mean, through to its output; net 1 is the noise and reads all `inputs` + 1
/// columns.
[[nodiscard]] engine::Networks foreign_noise_networks(const NomuSpec& spec, std::size_t inputs);

/// Parameters of that net 0, [M][1][P].
[[nodiscard]] Tensor<float> mean_carrier(const engine::Networks& networks, std::size_t members);

/// Rows [M][q][w] without their first `skipped` columns, followed by the mean [M][q][1].
[[nodiscard]] Tensor<float> with_mean(const Tensor<float>& wide, const Tensor<float>& mean, std::size_t skipped);

}  // namespace nomu
