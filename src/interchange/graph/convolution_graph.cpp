#include "interchange/graph/convolution_graph.hpp"

#include <array>

namespace nomu {
namespace {

std::int64_t number(std::size_t value) { return static_cast<std::int64_t>(value); }

/// Filters of every part, [M K filters][channels][kernel][kernel]; the engine stores
/// [kernel][kernel][channels][filters].
GraphValue filters_of(GraphWriter& graph, const engine::Layer& layer, const Tensor<float>& parameters,
                      const GraphParts& parts) {
  const engine::Convolution& shape = *layer.convolution;
  const std::size_t filters = shape.map.channels;
  const std::size_t square = shape.kernel * shape.kernel;
  std::vector<float> values;
  values.reserve(parts.source.size() * filters * shape.patch());
  for (const std::size_t source : parts.source) {
    const std::span<const float> own = parameters.member(source).subspan(layer.weights, shape.patch() * filters);
    for (std::size_t f = 0; f < filters; ++f) {
      for (std::size_t c = 0; c < shape.in.channels; ++c) {
        for (std::size_t e = 0; e < square; ++e) values.push_back(own[(e * shape.in.channels + c) * filters + f]);
      }
    }
  }
  return graph.floats(
      "filters", values,
      {number(parts.source.size() * filters), number(shape.in.channels), number(shape.kernel), number(shape.kernel)});
}

GraphValue bias_of(GraphWriter& graph, const engine::Layer& layer, const Tensor<float>& parameters,
                   const GraphParts& parts) {
  std::vector<float> values;
  for (const std::size_t source : parts.source) {
    const std::span<const float> own = parameters.member(source).subspan(layer.bias, layer.columns());
    values.insert(values.end(), own.begin(), own.end());
  }
  return graph.floats("bias", values, {number(values.size())});
}

/// For floats, for which runtimes have Softplus; dense layers are computed in double (network_graph.cpp).
GraphValue activated(GraphWriter& graph, Activation kind, const GraphValue& z) {
  switch (kind) {
    case Activation::relu: return graph.positive(z);
    case Activation::tanh: return graph.apply("Tanh", {z});
    case Activation::softplus: return graph.apply("Softplus", {z});
    case Activation::identity: break;
  }
  return z;
}

GraphValue pooled(GraphWriter& graph, const engine::Convolution& shape, const GraphValue& map) {
  if (shape.pool_height() == 1 && shape.pool_width() == 1) return map;
  return graph.pool(shape.pooling == Pooling::max ? "MaxPool" : "AveragePool", map, number(shape.pool_height()),
                    number(shape.pool_width()));
}

}  // namespace

GraphValue add_convolution(GraphWriter& graph, const engine::Layer& layer, const Tensor<float>& parameters,
                           const GraphParts& parts, const GraphValue& source, std::size_t passes) {
  const engine::Convolution& shape = *layer.convolution;
  const std::int64_t members = number(parts.members);
  const std::int64_t each = number(parts.parts);
  const std::int64_t channels = number(shape.in.channels);
  const std::int64_t pixels = number(shape.in.pixels());
  const bool first = shape.planar;
  GraphValue own = first ? graph.front_columns(source, channels * pixels) : source;
  if (first && each > 1) {
    const std::vector<double> zeros(parts.parts, 0.0);
    own = graph.add(own, graph.doubles("zeros", zeros, {1, each, 1, 1}));
  }
  // Parts have their own filters and become channels; passes share filters and become rows.
  const bool grouped = each > 1;
  const std::int64_t second = grouped ? each : number(passes);
  using Order = std::array<std::int64_t, 5>;
  own = first ? graph.reshape(own, {members, second, -1, channels, pixels})
              : graph.reshape(own, {members, second, -1, pixels, channels});
  const std::int64_t a = first ? 3 : 4;
  const std::int64_t b = first ? 4 : 3;
  own = graph.transpose(own, grouped ? Order{2, 0, 1, a, b} : Order{1, 2, 0, a, b});
  own = graph.to_float(
      graph.reshape(own, {-1, members * each * channels, number(shape.in.height), number(shape.in.width)}));
  const GraphValue map =
      graph.convolve(own, filters_of(graph, layer, parameters, parts), bias_of(graph, layer, parameters, parts),
                     members * each, number(shape.kernel), number(shape.stride), number(shape.padding));
  GraphValue out = pooled(graph, shape, activated(graph, layer.activation, map));
  const std::int64_t filters = number(shape.out.channels);
  const std::int64_t kept = number(shape.out.pixels());
  out = grouped ? graph.transpose(graph.reshape(out, {-1, members, each, filters, kept}), Order{1, 2, 0, 4, 3})
                : graph.transpose(graph.reshape(out, {second, -1, members, filters, kept}), Order{2, 0, 1, 4, 3});
  return graph.to_double(graph.reshape(out, {members, second, -1, number(layer.units)}));
}

}  // namespace nomu
