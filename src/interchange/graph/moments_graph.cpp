#include "interchange/graph/moments_graph.hpp"

#include <vector>

#include "interchange/graph/heads_graph.hpp"
#include "interchange/graph/readout_graph.hpp"

namespace nomu {
namespace {

/// Intercept and slopes of every network's trend times x, [M][K][n][1].
GraphValue add_trend(GraphWriter& graph, const Tensor<float>& trend, const GraphParts& parts, const GraphValue& x) {
  std::vector<float> intercepts;
  std::vector<float> slopes;
  for (const std::size_t source : parts.source) {
    const std::span<const float> own = trend.member(source);
    intercepts.push_back(own[0]);
    slopes.insert(slopes.end(), own.begin() + 1, own.end());
  }
  const GraphValue weights = graph.to_double(graph.floats("slopes", slopes, numbers_shape(parts, trend.cols() - 1)));
  return graph.add(graph.matmul(graph.to_double(x), weights),
                   graph.to_double(graph.floats("intercepts", intercepts, numbers_shape(parts, 1))));
}

}  // namespace

NetworkMoments plain_moments(GraphWriter& graph, const OutputMap& map, const NetworkGraph& network) {
  const std::vector<GraphValue>& outputs = network.outputs;
  NetworkMoments moments{.mean = outputs[0]};
  const auto read = [&](const GraphValue& raw) { return graph.square(add_readout(graph, map.readout, raw)); };
  const auto noise = [&] { return graph.square(add_noise(graph, outputs[1], map.noise_floor)); };
  switch (map.sigma) {
    case OutputMap::Sigma::readout: moments.variance = read(outputs.back()); break;
    case OutputMap::Sigma::noise: moments.variance = noise(); break;
    case OutputMap::Sigma::directed:
      moments.variance = read(graph.subtract(outputs[1], outputs[0]));
      moments.variance_below = read(graph.subtract(outputs[0], outputs[2]));
      break;
    case OutputMap::Sigma::above: moments.variance = read(graph.subtract(outputs[1], outputs[0])); break;
    case OutputMap::Sigma::below: moments.variance = read(graph.subtract(outputs[0], outputs[1])); break;
    case OutputMap::Sigma::between_networks:
    case OutputMap::Sigma::constant: break;
  }
  if (map.noise == OutputMap::Noise::output) moments.noise = noise();
  return moments;
}

NetworkMoments head_moments(GraphWriter& graph, const FittedNetwork& fitted, const GraphParts& parts,
                            const NetworkGraph& network, const GraphMixture& mixture, const GraphValue& x) {
  const GraphHeads heads(graph, fitted.parts().heads, parts);
  // As in Mixture: shares are averaged first, but for files from before heads had a start.
  const GraphValue share = heads.share(network.outputs.back());
  const bool together = fitted.parts().heads.cols() == NetworkHead::size;
  const GraphValue distance = heads.distance(together ? mixture.mean(share) : share);
  const GraphValue noise = add_noise(graph, network.outputs[1], fitted.design().outputs.noise_floor);
  return {.mean = graph.add(network.outputs[0], add_trend(graph, fitted.parts().trend, parts, x)),
          .variance = heads.variance(distance),
          .variance_below = {},
          .noise = heads.noise(noise, distance)};
}

}  // namespace nomu
