#include "interchange/network_graph.hpp"

#include <algorithm>

#include "engine/sampling.hpp"

namespace nomu {
namespace {

/// A block [in][units] of every part, as a constant [M][K][in][units].
GraphValue block(GraphWriter& graph, std::string_view name, const Tensor<float>& parameters, const GraphParts& parts,
                 std::size_t offset, std::size_t in, std::size_t units, bool precise) {
  std::vector<float> values;
  values.reserve(parts.source.size() * in * units);
  for (const std::size_t source : parts.source) {
    const std::span<const float> own = parameters.member(source).subspan(offset, in * units);
    values.insert(values.end(), own.begin(), own.end());
  }
  const GraphWriter::Shape shape{static_cast<std::int64_t>(parts.members), static_cast<std::int64_t>(parts.parts),
                                 static_cast<std::int64_t>(in), static_cast<std::int64_t>(units)};
  if (!precise) return graph.floats(name, values, shape);
  return graph.doubles(name, std::vector<double>(values.begin(), values.end()), shape);
}

GraphValue activate(GraphWriter& graph, Activation kind, const GraphValue& z, bool precise) {
  switch (kind) {
    case Activation::relu: return graph.positive(z);
    case Activation::tanh: return graph.apply("Tanh", {z});
    case Activation::softplus: return precise ? softplus(graph, z) : graph.apply("Softplus", {z});
    case Activation::identity: break;
  }
  return z;
}

/// What the passes keep of layer `l`, as factors [M][passes][1][units].
GraphValue mask(GraphWriter& graph, const GraphDropout& dropout, std::size_t l, std::size_t units) {
  std::vector<float> values;
  for (const std::uint64_t seed : dropout.seeds) {
    for (std::size_t pass = 0; pass < dropout.passes; ++pass) {
      const engine::DropoutMask draw = engine::prediction_mask(seed, l, static_cast<std::uint32_t>(pass), dropout.rate);
      for (std::size_t e = 0; e < units; ++e) values.push_back(draw.keeps(e) ? draw.scale() : 0.0F);
    }
  }
  return graph.floats("mask", values,
                      {static_cast<std::int64_t>(dropout.seeds.size()), static_cast<std::int64_t>(dropout.passes), 1,
                       static_cast<std::int64_t>(units)});
}

}  // namespace

GraphParts single_parts(std::size_t members) {
  const std::vector<double> ones(members, 1.0);
  return weighted_parts(members, ones);
}

GraphParts weighted_parts(std::size_t members, std::span<const double> weights) {
  const std::size_t given = weights.size() / members;
  GraphParts parts{.members = members, .parts = 0, .source = {}, .weight = {}};
  std::vector<std::vector<std::size_t>> used(members);
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (weights[k] > 0.0) used[k / given].push_back(k);
  }
  for (const std::vector<std::size_t>& own : used) parts.parts = std::max(parts.parts, own.size());
  for (const std::vector<std::size_t>& own : used) {
    double total = 0.0;
    for (const std::size_t k : own) total += weights[k];
    for (std::size_t k = 0; k < parts.parts; ++k) {
      const bool real = k < own.size();
      parts.source.push_back(real ? own[k] : own.front());
      parts.weight.push_back(real ? weights[own[k]] / total : 0.0);
    }
  }
  return parts;
}

GraphValue feed_weights(GraphWriter& graph, const engine::Layer& layer, const engine::Feed& feed,
                        const Tensor<float>& parameters, const GraphParts& parts, bool precise) {
  return block(graph, "weights", parameters, parts, feed.weights, feed.units, layer.units, precise);
}

NetworkGraph add_networks(GraphWriter& graph, const engine::Layout& layout, const Tensor<float>& parameters,
                          const GraphParts& parts, const GraphValue& x, const GraphDropout& dropout, bool precise,
                          const GivenLayers& given) {
  NetworkGraph network;
  for (std::size_t l = 0; l < layout.layers.size(); ++l) {
    const engine::Layer& layer = layout.layers[l];
    if (const auto found = given.find(l); found != given.end()) {
      network.activity.push_back(found->second);
      if (layer.head) network.outputs.push_back(found->second);
      continue;
    }
    GraphValue z = block(graph, "bias", parameters, parts, layer.bias, 1, layer.units, precise);
    for (const engine::Feed& feed : layer.feeds) {
      const GraphValue& source = feed.source == engine::input_layer ? x : network.activity[feed.source];
      z = graph.add(graph.matmul(source, feed_weights(graph, layer, feed, parameters, parts, precise)), z);
    }
    GraphValue a = activate(graph, layer.activation, z, precise);
    if (dropout.passes > 0 && !layer.head) a = graph.multiply(a, mask(graph, dropout, l, layer.units));
    network.activity.push_back(a);
    if (!layer.head) continue;
    const GraphValue out = precise ? a : graph.to_double(a);
    for (std::size_t k = 0; k < layer.units; ++k) {
      network.outputs.push_back(layer.units == 1 ? out : graph.column(out, static_cast<std::int64_t>(k)));
    }
  }
  return network;
}

GraphValue softplus(GraphWriter& graph, const GraphValue& z) {
  const GraphValue far = graph.apply("Exp", {graph.apply("Neg", {graph.apply("Abs", {z})})});
  return graph.add(graph.positive(z), graph.apply("Log", {graph.add(graph.number(1.0), far)}));
}

}  // namespace nomu
