#include "models/foreign_plan.hpp"

#include <algorithm>
#include <utility>

#include "engine/layout.hpp"
#include "models/network_plan.hpp"
#include "models/nomu_plan.hpp"

namespace nomu {
namespace {

/// A network that only hands numbers on.
void freeze(engine::Net& net) {
  net.trainable = false;
  net.l2_hidden = net.l2_output = 0.0F;
}

}  // namespace

engine::Networks foreign_sigma_networks(const NomuSpec& spec, std::size_t inputs, std::size_t features) {
  NomuSpec linked = spec;
  linked.noise = Noise::none;
  linked.gradient = Gradient::stopped;
  linked.mean_net = {.hidden = {static_cast<std::int64_t>(features)}, .activation = Activation::identity};
  engine::Networks networks = nomu_networks(linked, inputs + features);
  freeze(networks.nets[0]);
  return networks;
}

Tensor<float> feature_carrier(const engine::Networks& networks, std::size_t features, std::size_t members) {
  const engine::Layout layout = engine::make_layout(networks, LossKind::nomu);
  const std::size_t inputs = networks.inputs - features;
  Tensor<float> values(members, 1, layout.layers[2].weights);
  for (std::size_t m = 0; m < members; ++m) {
    for (std::size_t j = 0; j < features; ++j)
      values(m, 0, layout.layers[0].weights + (inputs + j) * features + j) = 1.0F;
  }
  return values;
}

engine::Networks foreign_noise_networks(const NomuSpec& spec, std::size_t inputs) {
  engine::Net carrier;
  carrier.hidden = {1};
  carrier.activation = Activation::identity;
  freeze(carrier);
  engine::Networks networks{.inputs = inputs + 1, .nets = {std::move(carrier)}};
  networks.nets.push_back(net_of(spec.noise_net, "models/foreign"));
  networks.nets[1].l2_hidden = networks.nets[1].l2_output = static_cast<float>(spec.l2_noise);
  return networks;
}

Tensor<float> mean_carrier(const engine::Networks& networks, std::size_t members) {
  const engine::Layout layout = engine::make_layout(networks, LossKind::gaussian_nll);
  Tensor<float> values(members, 1, layout.layers[2].weights);
  for (std::size_t m = 0; m < members; ++m) {
    values(m, 0, layout.layers[0].weights + networks.inputs - 1) = 1.0F;
    values(m, 0, layout.layers[1].weights) = 1.0F;
  }
  return values;
}

Tensor<float> with_mean(const Tensor<float>& wide, const Tensor<float>& mean) {
  Tensor<float> all(wide.members(), wide.rows(), wide.cols() + 1);
  for (std::size_t m = 0; m < wide.members(); ++m) {
    for (std::size_t i = 0; i < wide.rows(); ++i) {
      std::ranges::copy(wide.row(m, i), all.row(m, i).begin());
      all(m, i, wide.cols()) = mean(m, i, 0);
    }
  }
  return all;
}

}  // namespace nomu
