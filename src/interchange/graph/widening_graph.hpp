#pragma once
// Where rows are unlike all that training had: how much wider sigma is there.

#include "interchange/graph_writer.hpp"
#include "models/network/fitted_network.hpp"

namespace nomu {

/// What FittedNetwork::predict makes of sigma_model at rows beyond the range of the training rows, and at names that
/// training did not have. `x` are the inputs without steps.
[[nodiscard]] GraphValue add_widening(GraphWriter& graph, const FittedNetwork& fitted, const GraphValue& sigma,
                                      const GraphValue& x);

}  // namespace nomu
