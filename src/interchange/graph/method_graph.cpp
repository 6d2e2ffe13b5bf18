#include "interchange/graph/method_graph.hpp"

#include <string_view>

#include "engine/layout.hpp"
#include "interchange/graph/bayesian_graph.hpp"
#include "interchange/graph/network_graph.hpp"
#include "interchange/graph/readout_graph.hpp"
#include "models/attached/fitted_attached.hpp"
#include "models/bayes/bayesian_net.hpp"
#include "models/network/fitted_network.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "interchange/onnx";

/// Variances of the networks' own sigma, before they are averaged; empty where they have none.
struct OwnVariance {
  std::optional<GraphValue> above, below;
};

OwnVariance own_variance(GraphWriter& graph, const OutputMap& map, const NetworkGraph& network) {
  const std::vector<GraphValue>& outputs = network.outputs;
  const auto read = [&](const GraphValue& raw) { return graph.square(add_readout(graph, map.readout, raw)); };
  switch (map.sigma) {
    case OutputMap::Sigma::readout: return {.above = read(outputs.back()), .below = {}};
    case OutputMap::Sigma::noise:
      return {.above = graph.square(add_noise(graph, outputs[1], map.noise_floor)), .below = {}};
    case OutputMap::Sigma::directed:
      return {.above = read(graph.subtract(outputs[1], outputs[0])),
              .below = read(graph.subtract(outputs[0], outputs[2]))};
    case OutputMap::Sigma::spread:
    case OutputMap::Sigma::constant: break;
  }
  return {};
}

/// What FittedNetwork::predict computes.
GraphPrediction predict(GraphWriter& graph, const FittedNetwork& fitted, const GraphValue& x) {
  const NetworkDesign& design = fitted.design();
  const OutputMap& map = design.outputs;
  const std::size_t members = fitted.members();
  const std::vector<double> weights(fitted.parts().weights.flat().begin(), fitted.parts().weights.flat().end());
  const GraphParts parts = weighted_parts(members, weights);
  GraphDropout dropout{.seeds = {}, .passes = design.passes, .rate = design.networks.nets[0].dropout[0]};
  for (const FitReport& report : fitted.reports()) dropout.seeds.push_back(report.seed);
  const NetworkGraph network =
      add_networks(graph, engine::make_layout(design.networks, design.loss), fitted.parts().parameters, parts, x,
                   design.passes > 0 ? dropout : GraphDropout{});
  const std::vector<double> passes(members * design.passes, 1.0 / static_cast<double>(design.passes));
  const GraphMixture mixture(graph, members, design.passes > 0 ? passes : parts.weight);
  const bool single = parts.parts == 1 && design.passes == 0;

  GraphPrediction prediction{.mean = mixture.mean(network.outputs[0]), .sigma_model = {}};
  const OwnVariance own = own_variance(graph, map, network);
  const auto sigma = [&](const std::optional<GraphValue>& variance) {
    if (single && variance) return graph.root(*variance);
    const GraphValue spread = mixture.deviations(network.outputs[0], prediction.mean);
    return graph.root(mixture.mean(variance ? graph.add(*variance, spread) : spread));
  };
  if (map.sigma == OutputMap::Sigma::constant) {
    prediction.sigma_model = constant_like(graph, graph.number(map.sigma_constant), prediction.mean);
  } else {
    prediction.sigma_model = sigma(own.above);
  }
  if (own.below) prediction.sigma_below = sigma(own.below);
  if (map.variance_as_sigma) prediction.sigma_model = graph.square(prediction.sigma_model);
  if (map.noise == OutputMap::Noise::output) {
    const GraphValue noise = add_noise(graph, network.outputs[1], map.noise_floor);
    prediction.sigma_noise = single ? noise : graph.root(mixture.mean(graph.square(noise)));
  }
  if (map.noise == OutputMap::Noise::constant)
    prediction.sigma_noise = constant_like(graph, member_numbers(graph, fitted.parts().noise), prediction.mean);
  return prediction;
}

GraphPrediction predict(GraphWriter& graph, const FittedCohort& fitted, const GraphValue& x) {
  if (const auto* networks = dynamic_cast<const FittedNetwork*>(&fitted)) return predict(graph, *networks, x);
  if (const auto* bayesian = dynamic_cast<const FittedBayesianNet*>(&fitted))
    return add_bayesian_net(graph, *bayesian, x);
  if (dynamic_cast<const FittedAttached*>(&fitted) != nullptr)
    throw ConfigError(where, "these are bounds for a network; write both as one file with save_attached");
  throw ConfigError(where,
                    "a Gaussian process (method 'gp') stores its training rows and is not a network; export a model of "
                    "another method");
}

}  // namespace

GraphPrediction add_method(GraphWriter& graph, const Model& model, const GraphValue& x) {
  GraphPrediction found = predict(graph, model.fitted(), x);
  // A Prediction holds floats.
  found.mean = graph.rounded(found.mean);
  found.sigma_model = graph.rounded(found.sigma_model);
  for (std::optional<GraphValue>* part : {&found.sigma_noise, &found.sigma_below}) {
    if (*part) *part = graph.rounded(**part);
  }
  return found;
}

}  // namespace nomu
