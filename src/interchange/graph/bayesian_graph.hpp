#pragma once
// Linearised Laplace and the neural linear model as part of an ONNX graph: the regressors of every row and the norm of
// their projection.

#include "interchange/graph/method_graph.hpp"
#include "models/bayes/bayesian_net.hpp"

namespace nomu {

/// Adds `predict` of the fitted object, in double as the library computes it.
[[nodiscard]] GraphPrediction add_bayesian_net(GraphWriter& graph, const FittedBayesianNet& fitted,
                                               const GraphValue& x);

/// One number per member, [M][1][1], as a constant [M][1][1][1].
[[nodiscard]] GraphValue member_numbers(GraphWriter& graph, const Tensor<float>& numbers);

/// `number` broadcast to the shape of `model`.
[[nodiscard]] GraphValue constant_like(GraphWriter& graph, const GraphValue& number, const GraphValue& model);

}  // namespace nomu
