#pragma once
// The predictions of each method as part of an ONNX graph: the formula of its fitted object's `predict`, for all
// members at once and on the scale of the fit.

#include <optional>

#include "interchange/graph_writer.hpp"
#include "nomu/models/model.hpp"

namespace nomu {

/// Doubles [M][1][n][1], one entry per member of a fitted cohort.
struct GraphPrediction {
  GraphValue mean;
  GraphValue sigma_model;
  std::optional<GraphValue> sigma_noise = {};
  std::optional<GraphValue> sigma_below = {};
};

/// Adds the model's networks, which read scaled inputs x, float [M][1][n][d]. Throws ConfigError naming the method when
/// there is no graph for it.
[[nodiscard]] GraphPrediction add_method(GraphWriter& graph, const Model& model, const GraphValue& x);

}  // namespace nomu
