#include "models/network/thinned.hpp"

#include <algorithm>

#include "engine/layout.hpp"
#include "engine/sampling.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

/// Scales the outgoing weights of each unit of layer `l`, by 0 if the mask drops it.
void thin_layer(const engine::Layout& layout, std::size_t l, const engine::DropoutMask& mask,
                std::span<float> parameters) {
  for (const engine::Consumer& consumer : layout.consumers(l)) {
    const engine::Layer& layer = layout.layers[consumer.layer];
    const engine::Feed& feed = layer.feeds[consumer.feed];
    for (std::size_t unit = 0; unit < feed.units; ++unit) {
      const float factor = mask.keeps(unit) ? mask.scale() : 0.0F;
      const std::span<float> row = parameters.subspan(feed.weights + unit * layer.units, layer.units);
      for (float& weight : row) weight *= factor;
    }
  }
}

}  // namespace

Tensor<float> thinned_parameters(const engine::Networks& networks, std::size_t member, const Tensor<float>& parameters,
                                 std::uint64_t seed, std::uint32_t first, std::uint32_t passes) {
  for (const engine::Net& net : networks.nets) {
    if (net.front.windows.empty()) continue;
    throw ConfigError("models/mc_dropout", "fixed masks are not available for networks with convolutions");
  }
  // The layout of the tensors does not depend on the loss.
  const engine::Layout layout = engine::make_layout(networks, LossKind::squared_error);
  const std::span<const float> given = parameters.member(member);
  Tensor<float> thinned(passes, 1, given.size());
  for (std::uint32_t p = 0; p < passes; ++p) {
    const std::span<float> mine = thinned.member(p);
    std::copy(given.begin(), given.end(), mine.begin());
    for (std::size_t l = 0; l < layout.layers.size(); ++l) {
      const float rate = engine::dropout_of(networks, layout.layers[l], member);
      if (rate == 0.0F) continue;
      thin_layer(layout, l, engine::prediction_mask(seed, l, first + p, rate), mine);
    }
  }
  return thinned;
}

engine::Networks without_dropout(const engine::Networks& networks) {
  engine::Networks plain = networks;
  for (engine::Net& net : plain.nets) {
    net.dropout = 0.0F;
    net.dropout_layers.clear();
  }
  return plain;
}

}  // namespace nomu
