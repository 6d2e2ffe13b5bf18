#include "interchange/graph/method_graph.hpp"

#include <string_view>

#include "engine/layout.hpp"
#include "interchange/graph/bayesian_graph.hpp"
#include "interchange/graph/moments_graph.hpp"
#include "interchange/graph/network_graph.hpp"
#include "interchange/graph/readout_graph.hpp"
#include "interchange/graph/steps_graph.hpp"
#include "interchange/graph/widening_graph.hpp"
#include "models/attached/fitted_attached.hpp"
#include "models/bayes/bayesian_net.hpp"
#include "models/network/fitted_network.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "interchange/onnx";

/// What FittedNetwork::predict computes.
GraphPrediction predict(GraphWriter& graph, const FittedNetwork& fitted, const GraphValue& given) {
  const NetworkDesign& design = fitted.design();
  const OutputMap& map = design.outputs;
  const std::size_t members = fitted.members();
  const std::vector<double> weights(fitted.parts().weights.flat().begin(), fitted.parts().weights.flat().end());
  const GraphParts parts = weighted_parts(members, weights);
  const engine::Layout layout = engine::make_layout(design.networks, design.loss);
  GraphDropout dropout{.seeds = {}, .passes = design.passes, .rates = {}};
  for (const FitReport& report : fitted.reports()) dropout.seeds.push_back(report.seed);
  for (const engine::Layer& layer : layout.layers) dropout.rates.push_back(dropout_of(design.networks, layer, 0));
  const GraphValue x = add_steps(graph, given, fitted.parts().steps);
  const NetworkGraph network =
      add_networks(graph, layout, fitted.parts().parameters, parts, x, design.passes > 0 ? dropout : GraphDropout{});
  const std::vector<double> passes(members * design.passes, 1.0 / static_cast<double>(design.passes));
  const GraphMixture mixture(graph, members, design.passes > 0 ? passes : parts.weight);
  const bool single = parts.parts == 1 && design.passes == 0;

  const NetworkMoments own = fitted.parts().heads.empty() ? plain_moments(graph, map, network)
                                                          : head_moments(graph, fitted, parts, network, mixture, x);
  GraphPrediction prediction{.mean = mixture.mean(own.mean), .sigma_model = {}};
  const auto sigma = [&](const std::optional<GraphValue>& variance) {
    if (single && variance) return graph.root(*variance);
    const GraphValue spread = mixture.deviations(own.mean, prediction.mean);
    return graph.root(mixture.mean(variance ? graph.add(*variance, spread) : spread));
  };
  if (map.sigma == OutputMap::Sigma::constant) {
    prediction.sigma_model = constant_like(graph, graph.number(map.sigma_constant), prediction.mean);
  } else {
    prediction.sigma_model = sigma(own.variance);
  }
  prediction.sigma_model = add_widening(graph, fitted, prediction.sigma_model, given);
  if (own.variance_below) prediction.sigma_below = sigma(own.variance_below);
  if (map.variance_as_sigma) prediction.sigma_model = graph.square(prediction.sigma_model);
  if (own.noise) prediction.sigma_noise = graph.root(mixture.mean(*own.noise));
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
