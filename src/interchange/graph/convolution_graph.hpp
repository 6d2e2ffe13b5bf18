#pragma once
// A convolution of the engine as part of an ONNX graph: one grouped Conv for all members and parts.

#include <cstddef>

#include "engine/layout.hpp"
#include "interchange/graph/network_graph.hpp"

namespace nomu {

/// Adds a convolution with its activation and pooling in single precision, for which runtimes have kernels. `source` is
/// double [M][1 or K][n][numbers], or [M][passes][n][numbers] for a network with one part; the result is double [M][K
/// or passes][n][layer.units], pixel by pixel as in the engine.
[[nodiscard]] GraphValue add_convolution(GraphWriter& graph, const engine::Layer& layer,
                                         const Tensor<float>& parameters, const GraphParts& parts,
                                         const GraphValue& source, std::size_t passes);

}  // namespace nomu
