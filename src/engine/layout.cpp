#include "engine/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/philox.hpp"
#include "nomu/core/error.hpp"

namespace nomu::engine {
namespace {

constexpr std::size_t alignment = 16;  // floats: one cache line, one AVX-512 register

std::size_t aligned(std::size_t offset) { return (offset + alignment - 1) / alignment * alignment; }

/// Layers of a net before its head.
std::size_t layers_before_head(const Net& net) { return net.front.windows.size() + net.hidden.size(); }

/// Index in the layer list of layer `depth` of net `net`.
std::size_t layer_index(const Networks& networks, std::size_t net, std::size_t depth) {
  std::size_t index = depth;
  for (std::size_t k = 0; k < net; ++k) index += layers_before_head(networks.nets[k]) + 1;
  return index;
}

/// The same for dense hidden layer `hidden`; links count these only.
std::size_t hidden_index(const Networks& networks, std::size_t net, std::size_t hidden) {
  return layer_index(networks, net, networks.nets[net].front.windows.size() + hidden);
}

/// What layer `depth` of a net reads; `before` is the number of units of the previous layer.
std::vector<Feed> feeds_of(const Networks& networks, std::size_t net_index, std::size_t depth, std::size_t before) {
  const Net& net = networks.nets[net_index];
  std::vector<Feed> feeds;
  if (depth == 0) {
    feeds.push_back({input_layer, networks.inputs, 0, false});
  } else {
    feeds.push_back({layer_index(networks, net_index, depth - 1), before, 0, true});
  }
  for (const Link& link : net.links) {
    if (net.front.windows.size() + link.to_layer != depth) continue;
    feeds.push_back({hidden_index(networks, link.from_net, link.from_layer),
                     networks.nets[link.from_net].hidden[link.from_layer], 0, link.gradient == Gradient::coupled});
  }
  return feeds;
}

/// Layer `depth` of a net, without its place in the parameter vector.
Layer layer_of(const Networks& networks, std::size_t k, std::size_t depth, std::size_t before,
               const std::vector<Convolution>& convolutions) {
  const Net& net = networks.nets[k];
  const bool head = depth == layers_before_head(net);
  const bool dense = depth >= convolutions.size();
  Layer layer{.net = k,
              .depth = depth,
              .units = 0,
              .head = head,
              .activation = head ? Activation::identity : net.activation,
              .feeds = feeds_of(networks, k, depth, before),
              .weights = 0,
              .bias = 0,
              .first_output = 0,
              .needs_delta = false,
              .on_augmented = false};
  if (dense) {
    layer.units = head ? net.outputs : net.hidden[depth - convolutions.size()];
  } else {
    layer.units = convolutions[depth].out.size();
    layer.convolution = convolutions[depth];
  }
  return layer;
}

/// Settings come from files, too: offsets far beyond this would wrap, and no machine has the memory.
constexpr double most_parameters = 1e15;

/// Weights of each of the layer's columns on what one feed supplies.
std::size_t weights_of(const Layer& layer, const Feed& feed) { return layer.convolution ? layer.fan_in() : feed.units; }

/// Refuses layers whose parameters, from `offset` on, do not fit into memory.
void require_space(const Layer& layer, std::size_t offset) {
  const auto columns = static_cast<double>(layer.columns());
  double end = static_cast<double>(offset) + columns;
  for (const Feed& feed : layer.feeds) end += static_cast<double>(weights_of(layer, feed)) * columns;
  if (end <= most_parameters) return;
  throw ConfigError("engine/layout",
                    fmt::format("a layer of {} units that reads {} does not fit into memory; use fewer "
                                "hidden units",
                                layer.columns(), weights_of(layer, layer.feeds.front())));
}

/// Places a layer's tensors from `offset` on; returns the offset after them.
std::size_t place(Layer& layer, std::size_t offset) {
  require_space(layer, offset);
  layer.weights = offset;
  for (Feed& feed : layer.feeds) {
    feed.weights = offset;
    offset += weights_of(layer, feed) * layer.columns();
  }
  layer.bias = aligned(offset);
  return aligned(layer.bias + layer.columns());
}

void mark_gradients(const Networks& networks, LossKind loss, std::vector<Layer>& layers) {
  for (Layer& layer : layers) {
    layer.needs_delta = networks.nets[layer.net].trainable;
    for (const Feed& feed : layer.feeds) {
      layer.needs_delta =
          layer.needs_delta || (feed.carries && feed.source != input_layer && layers[feed.source].needs_delta);
    }
    for (std::size_t k = 0; layer.head && k < layer.units; ++k) {
      layer.on_augmented = layer.on_augmented || augments_output(loss, layer.first_output + k);
    }
  }
  for (std::size_t i = layers.size(); i-- > 0;) {
    if (!layers[i].on_augmented) continue;
    for (const Feed& feed : layers[i].feeds) {
      if (feed.carries && feed.source != input_layer) layers[feed.source].on_augmented = true;
    }
  }
}

/// Operations of a layer's weights on what one feed supplies for one row.
double products_of(const Layer& layer, const Feed& feed) {
  if (!layer.convolution) return 2.0 * static_cast<double>(feed.units) * static_cast<double>(layer.units);
  return 2.0 * static_cast<double>(layer.fan_in()) * static_cast<double>(layer.convolution->map.size());
}

}  // namespace

float dropout_of(const Networks& networks, const Layer& layer, std::size_t member) {
  if (layer.head) return 0.0F;
  const Net& net = networks.nets[layer.net];
  return net.dropout_layers.empty() ? net.dropout[member] : net.dropout_layers[layer.depth][member];
}

float init_range(const Net& net, const Layer& layer) {
  const auto in = static_cast<float>(layer.fan_in());
  // A pixel is in as many windows as a window has pixels.
  const std::size_t squares = layer.convolution ? layer.convolution->kernel * layer.convolution->kernel : 1;
  const auto out = static_cast<float>(layer.columns() * squares);
  switch (net.init) {
    case Init::he: return net.init_scale * std::sqrt(6.0F / in);
    case Init::glorot: return net.init_scale * std::sqrt(6.0F / (in + out));
    case Init::uniform: break;
  }
  return net.init_scale;
}

std::size_t Layer::fan_in() const {
  if (convolution) return convolution->patch();
  std::size_t total = 0;
  for (const Feed& feed : feeds) total += feed.units;
  return total;
}

std::vector<Consumer> Layout::consumers(std::size_t source) const {
  std::vector<Consumer> found;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    for (std::size_t k = 0; k < layers[i].feeds.size(); ++k) {
      if (layers[i].feeds[k].source == source) found.push_back({i, k});
    }
  }
  return found;
}

Layout make_layout(const Networks& networks, LossKind loss) {
  Layout layout{.inputs = networks.inputs, .outputs = 0, .parameters = 0, .layers = {}};
  for (std::size_t k = 0; k < networks.nets.size(); ++k) {
    const Net& net = networks.nets[k];
    const std::vector<Convolution> convolutions = convolutions_of(net.front, k);
    std::size_t before = 0;
    for (std::size_t depth = 0; depth <= layers_before_head(net); ++depth) {
      Layer layer = layer_of(networks, k, depth, before, convolutions);
      layer.first_output = layout.outputs;
      layout.parameters = place(layer, layout.parameters);
      before = layer.units;
      layout.layers.push_back(std::move(layer));
    }
    layout.outputs += net.outputs;
  }
  mark_gradients(networks, loss, layout.layers);
  return layout;
}

void initialise(const Networks& networks, const Layout& layout, std::uint64_t seed, float* values) {
  std::fill(values, values + layout.parameters, 0.0F);
  for (std::size_t i = 0; i < layout.layers.size(); ++i) {
    const Layer& layer = layout.layers[i];
    const float range = init_range(networks.nets[layer.net], layer);
    const std::size_t weights = layer.fan_in() * layer.columns();
    const PhiloxStream stream{seed, Purpose::init, static_cast<std::uint32_t>(i), 0};
    for (std::size_t e = 0; e < weights + layer.columns(); ++e) {
      float* target = e < weights ? values + layer.weights + e : values + layer.bias + (e - weights);
      *target = range * (2.0F * stream.uniform(e) - 1.0F);
    }
  }
}

double flops_per_step(const Layout& layout, std::size_t rows, std::size_t augmented, const Networks& networks) {
  double total = 0.0;
  for (const Layer& layer : layout.layers) {
    const auto all = static_cast<double>(rows + augmented);
    const double backward = layer.on_augmented ? all : static_cast<double>(rows);
    for (const Feed& feed : layer.feeds) {
      const double product = products_of(layer, feed);
      total += product * all;
      if (!layer.needs_delta) continue;
      if (networks.nets[layer.net].trainable) total += product * backward;
      if (feed.carries && feed.source != input_layer && layout.layers[feed.source].needs_delta)
        total += product * backward;
    }
  }
  return total;
}

}  // namespace nomu::engine
