#pragma once
// The networks beside a foreign one: sigma, which reads inputs and features, and the noise, which reads the mean too.

#include <cstddef>

#include "engine/plan.hpp"
#include "nomu/models/foreign.hpp"

namespace nomu {

inline constexpr const char* foreign_parameters_block = "parameters";
inline constexpr const char* foreign_scale_block = "feature_scale";
inline constexpr const char* foreign_noise_block = "noise_parameters";

/// Inputs that the sigma network reads beside the features.
[[nodiscard]] inline std::size_t foreign_inputs(const ForeignNetwork& network) {
  return network.reads_inputs() ? network.inputs() : 0;
}

/// Net 0 hands the features, the last columns, on to the head of sigma, net 1. Its output, which would be the mean, is
/// nobody's.
[[nodiscard]] engine::Networks foreign_sigma_networks(const NomuSpec& spec, std::size_t inputs, std::size_t features);

/// Parameters of that net 0, [M][1][P]: each hidden unit is one feature, unchanged.
[[nodiscard]] Tensor<float> feature_carrier(const engine::Networks& networks, std::size_t features,
                                            std::size_t members);

/// Net 0 hands the last column, the mean, on to its output; net 1 is the noise and reads all `inputs` + 1 columns.
[[nodiscard]] engine::Networks foreign_noise_networks(const NomuSpec& spec, std::size_t inputs);

/// Parameters of that net 0, [M][1][P].
[[nodiscard]] Tensor<float> mean_carrier(const engine::Networks& networks, std::size_t members);

/// Rows [M][q][w] with the mean [M][q][1] behind them.
[[nodiscard]] Tensor<float> with_mean(const Tensor<float>& wide, const Tensor<float>& mean);

}  // namespace nomu
