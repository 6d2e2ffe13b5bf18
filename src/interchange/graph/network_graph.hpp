#pragma once
// Networks of the engine as part of an ONNX graph: all members and all their parts at once, like a cohort.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "engine/layout.hpp"
#include "interchange/graph_writer.hpp"
#include "nomu/core/tensor.hpp"

namespace nomu {

/// Which parameter vectors a graph uses: parts [M][K], and the weight of each in its member's prediction.
struct GraphParts {
  std::size_t members = 1;
  std::size_t parts = 1;
  std::vector<std::size_t> source;  ///< [M][K], index into the members of the parameters
  std::vector<double> weight;       ///< [M][K], adding up to 1 for each member
};

/// One network per member.
[[nodiscard]] GraphParts single_parts(std::size_t members);

/// The parts with a positive weight, `weights` [M][K]. Members with fewer parts repeat their first at weight 0, because
/// the parameters of unused networks may not be finite.
[[nodiscard]] GraphParts weighted_parts(std::size_t members, std::span<const double> weights);

/// Dropout masks used for all rows of a graph: those that a member's passes draw for the first row.
struct GraphDropout {
  std::vector<std::uint64_t> seeds;  ///< [M]
  std::size_t passes = 0;            ///< 0: no dropout
  std::vector<float> rates;          ///< of each layer
};

/// The values of a network, layer by layer.
struct NetworkGraph {
  std::vector<GraphValue> activity;  ///< of each layer of the layout, double [M][K][n][units]; heads included
  std::vector<GraphValue> outputs;   ///< each column of the outputs, double [M][K][n][1]
};

/// Layers whose values already exist, by index: no nodes are added for them.
using GivenLayers = std::map<std::size_t, GraphValue>;

/// Adds the networks, which read x, float or double [M][1][n][d]; `parameters` is [P][1][layout.parameters]. Dense
/// layers are computed in double, like in the reference engine, because near the data sigma is a small difference of
/// large numbers. Outputs are rounded to single precision, as in every engine.
[[nodiscard]] NetworkGraph add_networks(GraphWriter& graph, const engine::Layout& layout,
                                        const Tensor<float>& parameters, const GraphParts& parts, const GraphValue& x,
                                        const GraphDropout& dropout = {}, const GivenLayers& given = {});

/// log(1 + e^z) of doubles.
[[nodiscard]] GraphValue softplus(GraphWriter& graph, const GraphValue& z);

}  // namespace nomu
