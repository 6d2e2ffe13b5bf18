#pragma once
// The maps between the user's units and those of the fit, as parts of an ONNX graph.

#include <span>

#include "interchange/graph/method_graph.hpp"

namespace nomu {

/// Inputs x, float [n][d], on the scale of each member, float [M][1][n][d].
[[nodiscard]] GraphValue add_input_scaling(GraphWriter& graph, const GraphValue& x,
                                           std::span<const MemberScaling> scalings);

/// DrawnIn::in, of doubles. `factor` is 1 / (reach - straight), or 0 where numbers stay as they are.
[[nodiscard]] GraphValue add_drawn_in(GraphWriter& graph, const GraphValue& z, const GraphValue& factor,
                                      const GraphValue& straight);

/// The members' predictions in the units of the target, warped if it is. Throws ConfigError for a scaling of the target
/// with a reach, which no fit makes.
[[nodiscard]] GraphPrediction add_target_scaling(GraphWriter& graph, const GraphPrediction& scaled,
                                                 std::span<const MemberScaling> scalings);

}  // namespace nomu
