#pragma once
// The steps of models/inputs/embedding as part of an ONNX graph.

#include "interchange/graph_writer.hpp"
#include "nomu/core/tensor.hpp"

namespace nomu {

/// x, float [M][1][n][d], and behind it `steps` [M][3][E], float [M][1][n][d + E]; x itself if there are no steps.
/// Throws ConfigError if the members' steps belong to different columns, which no fit makes.
[[nodiscard]] GraphValue add_steps(GraphWriter& graph, const GraphValue& x, const Tensor<float>& steps);

}  // namespace nomu
