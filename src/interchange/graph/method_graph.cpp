#include "interchange/graph/method_graph.hpp"

#include <fmt/format.h>

#include <string_view>

#include "engine/layout.hpp"
#include "interchange/graph/bayesian_graph.hpp"
#include "interchange/graph/network_graph.hpp"
#include "interchange/graph/readout_graph.hpp"
#include "models/network/network_plan.hpp"
#include "models/nomu/directed_plan.hpp"
#include "models/nomu/fitted_nomu.hpp"
#include "models/nomu/nomu_plan.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "interchange/onnx";
constexpr const char* parameters_block = "parameters";

/// What every method's graph is built from.
struct Source {
  GraphWriter& graph;
  const FittedCohort& fitted;
  FittedState state;
  GraphValue x;

  [[nodiscard]] std::size_t members() const { return fitted.members(); }
};

/// Weights 1 or 0 of the parts of every member, [M][K].
std::vector<double> kept_weights(const Source& source, std::size_t parts) {
  std::vector<double> weights(source.members() * parts, 1.0);
  if (parts == 1) return weights;
  const Tensor<float>& kept = source.state.find("kept", weights.size());
  for (std::size_t k = 0; k < weights.size(); ++k) weights[k] = static_cast<double>(kept.flat()[k]);
  return weights;
}

GraphPrediction predict(const Source& source, const NomuSpec& given) {
  GraphWriter& graph = source.graph;
  const std::size_t rows = source.state.count("rows");
  const NomuSpec spec = resolved(given, rows, source.state.inputs);  // a tube's NOMU spec may not be resolved yet
  const engine::Layout layout = engine::make_layout(nomu_networks(spec, source.state.inputs), nomu_loss(spec.noise));
  const auto ensemble = static_cast<std::size_t>(spec.ensemble);
  const GraphParts parts = weighted_parts(source.members(), kept_weights(source, ensemble));
  const Tensor<float>& parameters =
      source.state.find(FittedNomu::parameters_block, source.members() * ensemble * layout.parameters);
  const NetworkGraph network = add_networks(graph, layout, parameters, parts, source.x);
  const GraphMixture mixture(graph, parts.members, parts.weight);
  const GraphValue sigma = add_readout(graph, spec.readout, network.outputs.back());
  GraphPrediction prediction{.mean = mixture.mean(network.outputs.front()), .sigma_model = sigma};
  if (parts.parts > 1) {
    const GraphValue deviations = mixture.deviations(network.outputs.front(), prediction.mean);
    prediction.sigma_model = graph.root(mixture.mean(graph.add(graph.square(sigma), deviations)));
  }
  if (spec.noise == Noise::learned) {
    const GraphValue noise = add_noise(graph, network.outputs[1], spec.noise_floor);
    prediction.sigma_noise = parts.parts > 1 ? graph.root(mixture.mean(graph.square(noise))) : noise;
  }
  return prediction;
}

GraphPrediction predict(const Source& source, const TubeSpec& spec) {
  GraphPrediction prediction = predict(source, spec.nomu);
  prediction.sigma_model = constant_like(source.graph, source.graph.number(spec.sigma), prediction.mean);
  return prediction;
}

GraphPrediction predict(const Source& source, const DirectedSpec& spec) {
  GraphWriter& graph = source.graph;
  const engine::Layout layout = engine::make_layout(directed_networks(spec, source.state.inputs), LossKind::directed);
  const Tensor<float>& parameters = source.state.find(parameters_block, source.members() * layout.parameters);
  const NetworkGraph network = add_networks(graph, layout, parameters, single_parts(source.members()), source.x);
  const GraphValue& mean = network.outputs[0];
  return {.mean = mean,
          .sigma_model = add_readout(graph, spec.readout, graph.subtract(network.outputs[1], mean)),
          .sigma_below = add_readout(graph, spec.readout, graph.subtract(mean, network.outputs[2]))};
}

/// Mean, model sigma and noise of networks with equal layers, `weights` [M][K]; with dropout, of one network's passes.
GraphPrediction mixture_of(const Source& source, const RegressionNet& net, std::span<const double> weights,
                           const GraphDropout& dropout) {
  GraphWriter& graph = source.graph;
  const engine::Layout layout =
      engine::make_layout(regression_networks(net, source.state.inputs, where), regression_loss(net.learn_noise));
  const GraphParts parts = weighted_parts(source.members(), weights);
  const Tensor<float>& parameters = source.state.find(parameters_block, weights.size() * layout.parameters);
  const NetworkGraph network = add_networks(graph, layout, parameters, parts, source.x, dropout);
  const std::vector<double> passes(source.members() * dropout.passes, 1.0 / static_cast<double>(dropout.passes));
  const GraphMixture mixture(graph, parts.members, dropout.passes > 0 ? passes : parts.weight);
  const GraphValue mean = mixture.mean(network.outputs[0]);
  GraphPrediction prediction{.mean = mean,
                             .sigma_model = graph.root(mixture.mean(mixture.deviations(network.outputs[0], mean)))};
  if (net.learn_noise) {
    const GraphValue noise = add_noise(graph, network.outputs[1], static_cast<double>(regression_noise_floor));
    prediction.sigma_noise = graph.root(mixture.mean(graph.square(noise)));
  }
  return prediction;
}

GraphPrediction predict(const Source& source, const DeepEnsembleSpec& spec) {
  const std::vector<double> weights(source.members() * static_cast<std::size_t>(spec.networks), 1.0);
  return mixture_of(source, {.net = spec.net, .train = spec.train, .learn_noise = spec.learn_noise}, weights, {});
}

GraphPrediction predict(const Source& source, const HyperDeepEnsembleSpec& spec) {
  const Tensor<float>& picks = source.state.find("weights");
  const std::vector<double> weights(picks.flat().begin(), picks.flat().end());
  GraphPrediction prediction = mixture_of(source, {.net = spec.net, .train = spec.train}, weights, {});
  if (spec.published_sigma) prediction.sigma_model = source.graph.square(prediction.sigma_model);
  return prediction;
}

GraphPrediction predict(const Source& source, const McDropoutSpec& spec) {
  GraphDropout dropout{
      .seeds = {}, .passes = static_cast<std::size_t>(spec.passes), .rate = static_cast<float>(spec.dropout)};
  for (const FitReport& report : source.fitted.reports()) dropout.seeds.push_back(report.seed);
  const bool head = spec.learn_noise && spec.noise_head;
  const std::vector<double> weights(source.members(), 1.0);
  GraphPrediction prediction =
      mixture_of(source, {.net = spec.net, .train = spec.train, .learn_noise = head}, weights, dropout);
  if (spec.learn_noise && !head) {
    const GraphValue noise = member_numbers(source.graph, source.state.find("noise", source.members()));
    prediction.sigma_noise = constant_like(source.graph, noise, prediction.mean);
  }
  return prediction;
}

GraphPrediction predict(const Source& source, const AnnSpec& spec) {
  const std::vector<double> weights(source.members(), 1.0);
  GraphPrediction prediction =
      mixture_of(source, {.net = spec.net, .train = spec.train, .learn_noise = true}, weights, {});
  // Its second output represents all uncertainty.
  prediction.sigma_model = *prediction.sigma_noise;
  prediction.sigma_noise.reset();
  return prediction;
}

GraphPrediction bayesian(const Source& source, const MlpSpec& net, const TrainSpec& train, bool whole_network) {
  const engine::Layout layout = engine::make_layout(
      regression_networks({.net = net, .train = train}, source.state.inputs, where), regression_loss(false));
  return add_bayesian_net(source.graph, layout, source.state, source.members(), whole_network, source.x);
}

GraphPrediction predict(const Source& source, const LaplaceSpec& spec) {
  return bayesian(source, spec.net, spec.train, spec.weights == LaplaceSpec::Weights::full);
}

GraphPrediction predict(const Source& source, const NeuralLinearSpec& spec) {
  return bayesian(source, spec.net, spec.train, false);
}

GraphPrediction predict(const Source& /*source*/, const GpSpec& /*spec*/) {
  throw ConfigError(where,
                    "a Gaussian process (method 'gp') stores its training rows and is not a network; export a model of "
                    "another method");
}

}  // namespace

GraphPrediction add_method(GraphWriter& graph, const Model& model, const GraphValue& x) {
  const Source source{.graph = graph, .fitted = model.fitted(), .state = model.fitted().state(), .x = x};
  GraphPrediction found = std::visit([&](const auto& spec) { return predict(source, spec); }, model.spec().method);
  // The library's Prediction holds floats.
  found.mean = graph.rounded(found.mean);
  found.sigma_model = graph.rounded(found.sigma_model);
  for (std::optional<GraphValue>* part : {&found.sigma_noise, &found.sigma_below}) {
    if (*part) *part = graph.rounded(**part);
  }
  return found;
}

}  // namespace nomu
