#pragma once
// What each network of a mixture says about a row, as part of an ONNX graph: the formulas of models/network/mixture,
// before a member's networks are averaged.

#include <optional>

#include "interchange/graph/network_graph.hpp"
#include "interchange/graph/readout_graph.hpp"
#include "interchange/graph_writer.hpp"
#include "models/network/fitted_network.hpp"

namespace nomu {

/// Doubles [M][K][n][1]; K may be 1 where all networks of a member say the same.
struct NetworkMoments {
  GraphValue mean;
  std::optional<GraphValue> variance = {};        ///< of the model; empty: the networks have no sigma of their own
  std::optional<GraphValue> variance_below = {};  ///< below the mean, if it differs
  std::optional<GraphValue> noise = {};           ///< variance of the noise; empty: none is learned
};

/// The moments of networks without heads.
[[nodiscard]] NetworkMoments plain_moments(GraphWriter& graph, const OutputMap& map, const NetworkGraph& network);

/// The moments of networks with a head and a trend each; x [M][1][n][d] is what they read.
[[nodiscard]] NetworkMoments head_moments(GraphWriter& graph, const FittedNetwork& fitted, const GraphParts& parts,
                                          const NetworkGraph& network, const GraphMixture& mixture,
                                          const GraphValue& x);

}  // namespace nomu
