#include "interchange/graph/network_graph.hpp"

#include <algorithm>

#include "engine/sampling.hpp"
#include "interchange/graph/convolution_graph.hpp"

namespace nomu {
namespace {

/// A block [in][units] of every part, as a constant [M][K][in][units].
GraphValue block(GraphWriter& graph, std::string_view name, const Tensor<float>& parameters, const GraphParts& parts,
                 std::size_t offset, std::size_t in, std::size_t units) {
  std::vector<float> values;
  values.reserve(parts.source.size() * in * units);
  for (const std::size_t source : parts.source) {
    const std::span<const float> own = parameters.member(source).subspan(offset, in * units);
    values.insert(values.end(), own.begin(), own.end());
  }
  // Stored as floats, as they are: the file is half as large, and runtimes convert constants only once.
  return graph.to_double(graph.floats(name, values,
                                      {static_cast<std::int64_t>(parts.members), static_cast<std::int64_t>(parts.parts),
                                       static_cast<std::int64_t>(in), static_cast<std::int64_t>(units)}));
}

GraphValue activate(GraphWriter& graph, Activation kind, const GraphValue& z) {
  switch (kind) {
    case Activation::relu: return graph.positive(z);
    case Activation::tanh: return graph.apply("Tanh", {z});
    case Activation::softplus: return softplus(graph, z);
    case Activation::identity: break;
  }
  return z;
}

/// Dropout factors of layer `l` for each pass, [M][passes][1][units].
GraphValue mask(GraphWriter& graph, const GraphDropout& dropout, std::size_t l, std::size_t units) {
  std::vector<double> values;
  const float rate = dropout.rates[l];
  const double scale = 1.0 / (1.0 - static_cast<double>(rate));
  for (const std::uint64_t seed : dropout.seeds) {
    for (std::size_t pass = 0; pass < dropout.passes; ++pass) {
      const engine::DropoutMask draw = engine::prediction_mask(seed, l, static_cast<std::uint32_t>(pass), rate);
      for (std::size_t e = 0; e < units; ++e) values.push_back(draw.keeps(e) ? scale : 0.0);
    }
  }
  return graph.doubles("mask", values,
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

NetworkGraph add_networks(GraphWriter& graph, const engine::Layout& layout, const Tensor<float>& parameters,
                          const GraphParts& parts, const GraphValue& x, const GraphDropout& dropout,
                          const GivenLayers& given) {
  NetworkGraph network;
  const GraphValue wide = graph.to_double(x);
  for (std::size_t l = 0; l < layout.layers.size(); ++l) {
    const engine::Layer& layer = layout.layers[l];
    if (const auto found = given.find(l); found != given.end()) {
      network.activity.push_back(found->second);
      if (layer.head) network.outputs.push_back(found->second);
      continue;
    }
    const auto source = [&](const engine::Feed& feed) {
      return feed.source == engine::input_layer ? wide : network.activity[feed.source];
    };
    GraphValue a;
    if (layer.convolution) {
      // The first layer comes before any mask, so all passes share it.
      const std::size_t passes = layer.depth == 0 || dropout.passes == 0 ? 1 : dropout.passes;
      a = add_convolution(graph, layer, parameters, parts, source(layer.feeds.front()), passes);
    } else {
      GraphValue z = block(graph, "bias", parameters, parts, layer.bias, 1, layer.units);
      for (const engine::Feed& feed : layer.feeds) {
        const GraphValue weights = block(graph, "weights", parameters, parts, feed.weights, feed.units, layer.units);
        z = graph.add(graph.matmul(source(feed), weights), z);
      }
      a = activate(graph, layer.activation, z);
    }
    if (dropout.passes > 0 && !layer.head) a = graph.multiply(a, mask(graph, dropout, l, layer.units));
    network.activity.push_back(a);
    if (!layer.head) continue;
    const GraphValue out = graph.rounded(a);
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
