#include "interchange/graph/moments_graph.hpp"

#include <functional>
#include <vector>

#include "interchange/graph/readout_graph.hpp"

namespace nomu {
namespace {

// A number added to the head changes what networks say, so that the graph has to change, too.
static_assert(NetworkHead::size == 8, "head_moments must use every number of a head");

GraphWriter::Shape shape_of(const GraphParts& parts, std::size_t rows) {
  return {static_cast<std::int64_t>(parts.members), static_cast<std::int64_t>(parts.parts),
          static_cast<std::int64_t>(rows), 1};
}

/// Intercept and slopes of every network's trend times x, [M][K][n][1].
GraphValue add_trend(GraphWriter& graph, const Tensor<float>& trend, const GraphParts& parts, const GraphValue& x) {
  std::vector<float> intercepts;
  std::vector<float> slopes;
  for (const std::size_t source : parts.source) {
    const std::span<const float> own = trend.member(source);
    intercepts.push_back(own[0]);
    slopes.insert(slopes.end(), own.begin() + 1, own.end());
  }
  const GraphValue weights = graph.to_double(graph.floats("slopes", slopes, shape_of(parts, trend.cols() - 1)));
  return graph.add(graph.matmul(graph.to_double(x), weights),
                   graph.to_double(graph.floats("intercepts", intercepts, shape_of(parts, 1))));
}

/// The heads of all networks: one constant [M][K][1][1] for each of their numbers.
class Heads {
 public:
  Heads(GraphWriter& graph, const Tensor<float>& numbers, const GraphParts& parts)
      : graph_(graph), shape_(shape_of(parts, 1)) {
    for (const std::size_t source : parts.source) heads_.push_back(NetworkHead::load(numbers.member(source)));
  }

  /// What NetworkHead::distance computes.
  [[nodiscard]] GraphValue distance(const GraphValue& raw_sigma) const {
    const auto span = [](const NetworkHead& head) { return head.raw_far - head.raw_near; };
    const GraphValue share = graph_.divide(graph_.subtract(raw_sigma, constant("raw_near", &NetworkHead::raw_near)),
                                           constant("raw_span", span));
    const GraphValue limited = graph_.limited(share, graph_.number(0.0), graph_.number(1.5));
    const GraphValue one = graph_.number(1.0);
    const GraphValue near = graph_.apply("Pow", {graph_.least(limited, one), constant("power", &NetworkHead::power)});
    return graph_.multiply(near, graph_.most(limited, one));
  }

  /// The square of NetworkHead::sigma.
  [[nodiscard]] GraphValue variance(const GraphValue& distance) const {
    return graph_.square(graph_.multiply(constant("sigma_far", &NetworkHead::sigma_far), distance));
  }

  /// The square of NetworkHead::noise.
  [[nodiscard]] GraphValue noise(const GraphValue& at_row, const GraphValue& distance) const {
    const GraphValue near = graph_.limited(graph_.multiply(constant("noise_scale", &NetworkHead::noise_scale), at_row),
                                           constant("noise_low", &NetworkHead::noise_low),
                                           constant("noise_high", &NetworkHead::noise_high));
    const GraphValue far = graph_.most(near, constant("noise_far", &NetworkHead::noise_far));
    const GraphValue one = graph_.number(1.0);
    const GraphValue share = graph_.least(distance, one);
    return graph_.add(graph_.multiply(graph_.subtract(one, share), graph_.square(near)),
                      graph_.multiply(share, graph_.square(far)));
  }

 private:
  template <class Number>
  [[nodiscard]] GraphValue constant(const char* name, Number number) const {
    std::vector<double> values;
    for (const NetworkHead& head : heads_) values.push_back(std::invoke(number, head));
    return graph_.doubles(name, values, shape_);
  }

  GraphWriter& graph_;
  GraphWriter::Shape shape_;
  std::vector<NetworkHead> heads_;  ///< [M][K]
};

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
    case OutputMap::Sigma::spread:
    case OutputMap::Sigma::constant: break;
  }
  if (map.noise == OutputMap::Noise::output) moments.noise = noise();
  return moments;
}

NetworkMoments head_moments(GraphWriter& graph, const FittedNetwork& fitted, const GraphParts& parts,
                            const NetworkGraph& network, const GraphValue& x) {
  const Heads heads(graph, fitted.parts().heads, parts);
  const GraphValue distance = heads.distance(network.outputs.back());
  const GraphValue noise = add_noise(graph, network.outputs[1], fitted.design().outputs.noise_floor);
  return {.mean = graph.add(network.outputs[0], add_trend(graph, fitted.parts().trend, parts, x)),
          .variance = heads.variance(distance),
          .variance_below = {},
          .noise = heads.noise(noise, distance)};
}

}  // namespace nomu
