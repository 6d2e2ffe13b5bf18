#pragma once
// Turns the members' predictions into what `nomu predict` prints, as part of an ONNX graph.

#include <optional>
#include <span>

#include "interchange/graph/method_graph.hpp"

namespace nomu {

/// Doubles [1][1][n][1] of the model itself, in the units of the target: calibrated standard deviations, and bounds if
/// there is a level.
struct GraphBounds {
  GraphValue mean;
  GraphValue sigma_model;
  GraphValue sigma_noise;
  std::optional<GraphValue> sigma_below = {};
  std::optional<GraphValue> lower = {};
  std::optional<GraphValue> upper = {};
};

/// `members` are on the scale that each of them learned, where calibrations apply. Throws ConfigError when the
/// calibration does not support the level.
[[nodiscard]] GraphBounds add_bounds(GraphWriter& graph, const GraphPrediction& members, const Calibration& calibration,
                                     std::span<const MemberScaling> scalings, std::optional<double> level);

/// Moves means and bounds that cannot occur to the nearest value that can.
void move_into(GraphWriter& graph, const TargetRange& range, GraphBounds& bounds);

}  // namespace nomu
