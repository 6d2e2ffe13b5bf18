#pragma once
// Networks of the engine as part of an ONNX graph: all members and all parts of each in one go, as a cohort is.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "engine/layout.hpp"
#include "interchange/graph/graph_writer.hpp"
#include "nomu/core/tensor.hpp"

namespace nomu {

/// Which parameter vectors a graph is made of: parts [M][K] with the weight of each in its member's answer.
struct GraphParts {
  std::size_t members = 1;
  std::size_t parts = 1;
  std::vector<std::size_t> source;  ///< [M][K], member of the parameters
  std::vector<double> weight;       ///< [M][K], adding up to 1 for each member
};

/// One network a member.
[[nodiscard]] GraphParts single_parts(std::size_t members);

/// Those with a positive weight, `weights` [M][K]; members with fewer repeat their first at weight 0, since a network
/// without a say may hold numbers that are none.
[[nodiscard]] GraphParts weighted_parts(std::size_t members, std::span<const double> weights);

/// Dropout masks for the rows of a graph: those that a member's passes draw for the first row.
struct GraphDropout {
  std::vector<std::uint64_t> seeds;  ///< [M]
  std::size_t passes = 0;            ///< 0: no dropout
  float rate = 0.0F;
};

/// A network seen layer by layer.
struct NetworkGraph {
  std::vector<GraphValue> activity;  ///< of each layer of the layout, double [M][K][n][units]; heads included
  std::vector<GraphValue> outputs;   ///< each column of the outputs, double [M][K][n][1]
};

/// Layers that are there already, by their index: values for those that read them, no nodes of their own.
using GivenLayers = std::map<std::size_t, GraphValue>;

/// Adds the networks, reading x, float or double [M][1][n][d]; `parameters` is [P][1][layout.parameters]. Dense layers
/// are computed in double, as the reference engine does: near the data sigma is a small difference of large numbers.
/// The outputs have the digits of a float, as every engine's have.
[[nodiscard]] NetworkGraph add_networks(GraphWriter& graph, const engine::Layout& layout,
                                        const Tensor<float>& parameters, const GraphParts& parts, const GraphValue& x,
                                        const GraphDropout& dropout = {}, const GivenLayers& given = {});

/// log(1 + e^z) of doubles.
[[nodiscard]] GraphValue softplus(GraphWriter& graph, const GraphValue& z);

}  // namespace nomu
