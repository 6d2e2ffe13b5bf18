#include "interchange/graph/readout_graph.hpp"

namespace nomu {

GraphValue add_readout(GraphWriter& graph, const Readout& readout, const GraphValue& raw) {
  const GraphValue least = graph.number(readout.sigma_min);
  const GraphValue most = graph.number(readout.sigma_max);
  switch (readout.kind) {
    case Readout::Kind::exponential: {
      const GraphValue share = graph.divide(graph.add(graph.positive(raw), least), graph.number(-readout.sigma_max));
      return graph.multiply(most, graph.subtract(graph.number(1.0), graph.apply("Exp", {share})));
    }
    case Readout::Kind::linearised:
      return graph.subtract(graph.add(least, graph.positive(graph.subtract(raw, least))),
                            graph.positive(graph.subtract(raw, most)));
    case Readout::Kind::network: {
      GraphValue sigma = least;
      for (std::size_t k = 0; k + 1 < readout.weights.size(); k += 2) {
        const GraphValue steep = graph.multiply(graph.positive(raw), graph.number(readout.weights[k + 1]));
        sigma = graph.add(sigma, graph.multiply(graph.apply("Tanh", {steep}), graph.number(readout.weights[k])));
      }
      return sigma;
    }
    case Readout::Kind::identity: break;
  }
  return graph.positive(raw);
}

GraphValue add_noise(GraphWriter& graph, const GraphValue& raw, double floor) {
  return graph.add(softplus(graph, raw), graph.number(floor));
}

GraphMixture::GraphMixture(GraphWriter& graph, std::size_t members, std::span<const double> weights)
    : graph_(graph), single_(weights.size() == members) {
  const auto count = static_cast<std::int64_t>(members);
  const auto parts = static_cast<std::int64_t>(weights.size() / members);
  if (!single_) weights_ = graph.doubles("shares", weights, {count, parts, 1, 1});
}

GraphValue GraphMixture::mean(const GraphValue& values) const {
  return single_ ? values : graph_.sum(graph_.multiply(values, weights_), 1);
}

GraphValue GraphMixture::deviations(const GraphValue& values, const GraphValue& mean) const {
  return graph_.square(graph_.subtract(values, mean));
}

}  // namespace nomu
