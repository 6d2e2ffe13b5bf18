#pragma once
// Linearised Laplace and the neural linear model as part of an ONNX graph: the regressors of every row and the norm of
// their projection.

#include "engine/layout.hpp"
#include "interchange/graph/method_graph.hpp"
#include "nomu/models/fitted.hpp"

namespace nomu {

/// Adds `predict` of a fitted Bayesian net with the blocks of `state`, in double precision as in the library.
[[nodiscard]] GraphPrediction add_bayesian_net(GraphWriter& graph, const engine::Layout& layout,
                                               const FittedState& state, std::size_t members, bool whole_network,
                                               const GraphValue& x);

/// One number per member, [M][1][1], as a constant [M][1][1][1].
[[nodiscard]] GraphValue member_numbers(GraphWriter& graph, const Tensor<float>& numbers);

/// `number` broadcast to the shape of `model`.
[[nodiscard]] GraphValue constant_like(GraphWriter& graph, const GraphValue& number, const GraphValue& model);

}  // namespace nomu
