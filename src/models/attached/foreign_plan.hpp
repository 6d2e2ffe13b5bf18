#pragma once
// The networks beside a foreign one: sigma, which reads inputs and features, and the noise, which reads the mean too.

#include <cstddef>

#include "engine/plan.hpp"
#include "nomu/models/foreign.hpp"

namespace nomu {

inline constexpr const char* foreign_parameters_block = "parameters";
inline constexpr const char* foreign_features_block = "feature_scale";
inline constexpr const char* foreign_inputs_block = "input_scale";
inline constexpr const char* foreign_target_block = "target_scale";
inline constexpr const char* foreign_noise_block = "noise_parameters";
inline constexpr const char* foreign_kept_block = "kept";

/// The spec as it is meant for this network: a sigma network with filters looks at the network's own images. Throws
/// ConfigError where filters have no image to look at.
[[nodiscard]] NomuSpec beside(const NomuSpec& spec, const ForeignNetwork& network);

/// Inputs that the sigma network reads beside the features: all, or none where they are pixels and it has no filters.
[[nodiscard]] std::size_t foreign_inputs(const NomuSpec& spec, const ForeignNetwork& network);

/// Net 0 hands the features, the last columns, on to the head of sigma, net 1. Its output, which would be the mean, is
/// nobody's. With filters net 1 looks at the inputs through them, and the features join its first dense layer.
[[nodiscard]] engine::Networks foreign_sigma_networks(const NomuSpec& spec, std::size_t inputs, std::size_t features);

/// Parameters of that net 0, [M][1][P]: each hidden unit is one feature, unchanged.
[[nodiscard]] Tensor<float> feature_carrier(const engine::Networks& networks, std::size_t features,
                                            std::size_t members);

/// Evens out the start of sigma's first dense layer: He's range looks at the number of columns only, and where features
/// are many the inputs would hardly reach it. Inputs and features get half of the variance each.
void share_start(const engine::Networks& networks, std::size_t features, Tensor<float>& start);

/// Columns of what the sigma network reads that the noise network does not: pixels.
[[nodiscard]] std::size_t skipped_by_noise(const NomuSpec& spec, std::size_t inputs);

/// Net 0 hands the last column, the mean, on to its output; net 1 is the noise and reads all `inputs` + 1 columns.
[[nodiscard]] engine::Networks foreign_noise_networks(const NomuSpec& spec, std::size_t inputs);

/// Parameters of that net 0, [M][1][P].
[[nodiscard]] Tensor<float> mean_carrier(const engine::Networks& networks, std::size_t members);

/// Rows [M][q][w] without their first `skipped` columns and with the mean [M][q][1] behind them.
[[nodiscard]] Tensor<float> with_mean(const Tensor<float>& wide, const Tensor<float>& mean, std::size_t skipped);

}  // namespace nomu
