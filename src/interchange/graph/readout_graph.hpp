#pragma once
// Small formulas shared by several methods, as parts of an ONNX graph.

#include <span>

#include "interchange/graph/network_graph.hpp"
#include "interchange/graph_writer.hpp"
#include "nomu/models/readout.hpp"

namespace nomu {

/// Sigma of a raw output, double of any shape.
[[nodiscard]] GraphValue add_readout(GraphWriter& graph, const Readout& readout, const GraphValue& raw);

/// The noise of a raw output: softplus plus a floor.
[[nodiscard]] GraphValue add_noise(GraphWriter& graph, const GraphValue& raw, double floor);

/// Means over the parts of each member, [M][K][n][1] to [M][1][n][1].
class GraphMixture {
 public:
  /// `weights` [M][K], adding up to 1 for each member.
  GraphMixture(GraphWriter& graph, std::size_t members, std::span<const double> weights);

  [[nodiscard]] GraphValue mean(const GraphValue& values) const;
  /// Squared deviations from the mean of all parts, before they are averaged.
  [[nodiscard]] GraphValue deviations(const GraphValue& values, const GraphValue& mean) const;

 private:
  GraphWriter& graph_;
  bool single_;
  GraphValue weights_;
};

}  // namespace nomu
