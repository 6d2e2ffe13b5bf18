#include "interchange/graph/bayesian_graph.hpp"

#include <algorithm>

#include "interchange/graph/network_graph.hpp"

namespace nomu {
namespace {

/// [M][p][q] as constants [M][1][q][p].
GraphValue transposed(GraphWriter& graph, std::string_view name, const Tensor<float>& blocks, std::size_t members,
                      std::size_t rows, std::size_t cols) {
  std::vector<double> values(members * rows * cols);
  for (std::size_t m = 0; m < members; ++m) {
    const std::size_t first = m * rows * cols;
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < cols; ++j)
        values[first + j * rows + i] = static_cast<double>(blocks.flat()[first + i * cols + j]);
    }
  }
  return graph.doubles(
      name, values,
      {static_cast<std::int64_t>(members), 1, static_cast<std::int64_t>(cols), static_cast<std::int64_t>(rows)});
}

/// Derivative of the activation as a function of the activated value; an empty name means 1.
GraphValue slope(GraphWriter& graph, Activation kind, const GraphValue& a) {
  const auto from_one = [&](const GraphValue& v) { return graph.subtract(graph.number(1.0), v); };
  switch (kind) {
    case Activation::relu: return graph.apply("Sign", {a});
    case Activation::tanh: return from_one(graph.square(a));
    case Activation::softplus: return from_one(graph.apply("Exp", {graph.apply("Neg", {a})}));
    case Activation::identity: break;
  }
  return {};
}

struct Regressors {
  GraphWriter& graph;
  const engine::Layout& layout;
  const Tensor<float>& parameters;
  std::size_t members = 0;
  const NetworkGraph& network;
  GraphValue x;  ///< double
  GraphValue ones;

  /// The input of layer l.
  [[nodiscard]] const GraphValue& source(std::size_t l) const { return l == 0 ? x : network.activity[l - 1]; }

  /// The last hidden layer and a 1, [M][1][n][h + 1].
  [[nodiscard]] GraphValue features() const {
    const GraphValue both[] = {source(layout.layers.size() - 1), ones};
    return graph.concat(both, 3);
  }

  /// Derivatives of the output with respect to all parameters, in the order of LinearisedNet, [M][1][n][p].
  [[nodiscard]] GraphValue slopes() const {
    std::vector<GraphValue> all;
    GraphValue delta = ones;
    for (std::size_t l = layout.layers.size(); l-- > 0;) {
      const auto in = static_cast<std::int64_t>(layout.layers[l].fan_in());
      const auto units = static_cast<std::int64_t>(layout.layers[l].units);
      all.push_back(delta);
      const GraphValue left = graph.reshape(source(l), {0, 0, 0, in, 1});
      const GraphValue right = graph.reshape(delta, {0, 0, 0, 1, units});
      all.push_back(graph.reshape(graph.multiply(left, right), {0, 0, 0, in * units}));
      if (l > 0) delta = previous_delta(l, delta);
    }
    std::ranges::reverse(all);
    return graph.concat(all, 3);
  }

  /// The delta of layer l - 1.
  [[nodiscard]] GraphValue previous_delta(std::size_t l, const GraphValue& delta) const {
    const engine::Layer& layer = layout.layers[l];
    const std::size_t size = layer.fan_in() * layer.units;
    Tensor<float> weights(members, layer.fan_in(), layer.units);
    for (std::size_t m = 0; m < members; ++m)
      std::ranges::copy(parameters.member(m).subspan(layer.weights, size), weights.member(m).begin());
    const GraphValue back =
        graph.matmul(delta, transposed(graph, "back", weights, members, layer.fan_in(), layer.units));
    const GraphValue steepness = slope(graph, layout.layers[l - 1].activation, source(l));
    return steepness.name.empty() ? back : graph.multiply(back, steepness);
  }
};

}  // namespace

GraphValue member_numbers(GraphWriter& graph, const Tensor<float>& numbers) {
  const std::vector<double> values(numbers.flat().begin(), numbers.flat().end());
  return graph.doubles("member", values, {static_cast<std::int64_t>(values.size()), 1, 1, 1});
}

GraphValue constant_like(GraphWriter& graph, const GraphValue& number, const GraphValue& model) {
  return graph.add(graph.multiply(model, graph.number(0.0)), number);
}

GraphPrediction add_bayesian_net(GraphWriter& graph, const FittedBayesianNet& fitted, const GraphValue& x) {
  const BayesianPosterior& posterior = fitted.posterior();
  const std::size_t members = fitted.members();
  const GraphValue precise = graph.to_double(x);
  const NetworkGraph network =
      add_networks(graph, fitted.layout(), posterior.parameters, single_parts(members), precise);
  const GraphValue ones = constant_like(graph, graph.number(1.0), network.outputs[0]);
  const Regressors regressors{graph, fitted.layout(), posterior.parameters, members, network, precise, ones};
  const GraphValue columns = fitted.whole_network() ? regressors.slopes() : regressors.features();
  const std::size_t size = posterior.root.cols();
  GraphPrediction prediction{.mean = network.outputs[0], .sigma_model = {}};
  if (!posterior.head.empty())
    prediction.mean = graph.matmul(columns, transposed(graph, "head", posterior.head, members, 1, size));
  const GraphValue projected = graph.matmul(columns, transposed(graph, "root", posterior.root, members, size, size));
  prediction.sigma_model = graph.root(graph.sum(graph.square(projected), 3));
  prediction.sigma_noise = constant_like(graph, member_numbers(graph, posterior.noise), prediction.mean);
  return prediction;
}

}  // namespace nomu
