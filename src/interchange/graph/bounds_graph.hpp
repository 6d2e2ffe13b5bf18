#pragma once
// Turns predictions on the scale of the fit into what `nomu predict` prints, as part of an ONNX graph.

#include <optional>

#include "interchange/graph/method_graph.hpp"

namespace nomu {

/// Inputs x, float [n][d], on the scale of each member, float [M][1][n][d].
[[nodiscard]] GraphValue add_input_scaling(GraphWriter& graph, const GraphValue& x,
                                           std::span<const MemberScaling> scalings);

/// The members' predictions in the units of the target.
[[nodiscard]] GraphPrediction add_target_scaling(GraphWriter& graph, const GraphPrediction& scaled,
                                                 std::span<const MemberScaling> scalings);

/// Doubles [1][1][n][1] of the model itself: calibrated standard deviations, and bounds if there is a level.
struct GraphBounds {
  GraphValue mean;
  GraphValue sigma_model;
  GraphValue sigma_noise;
  std::optional<GraphValue> sigma_below = {};
  std::optional<GraphValue> lower = {};
  std::optional<GraphValue> upper = {};
};

/// Throws ConfigError when the calibration does not support the level.
[[nodiscard]] GraphBounds add_bounds(GraphWriter& graph, const GraphPrediction& members, const Calibration& calibration,
                                     std::size_t count, std::optional<double> level);

}  // namespace nomu
