#include "models/attached/foreign_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/layout.hpp"
#include "models/network/network_plan.hpp"
#include "models/nomu/nomu_plan.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr const char* where = "models/foreign";

/// A network that passes its inputs through.
void freeze(engine::Net& net) {
  net.trainable = false;
  net.l2_hidden = net.l2_output = 0.0F;
}

}  // namespace

NomuSpec adapted_to(const NomuSpec& given, const ForeignNetwork& network) {
  NomuSpec spec = given;
  ConvolutionSpec& sigma = spec.sigma_net.convolution;
  if (!spec.mean_net.convolution.filters.empty() || !spec.noise_net.convolution.filters.empty())
    throw ConfigError(where,
                      "with a given network, only the sigma network may have filters; leave mean_net.filters and "
                      "noise_net.filters empty");
  if (!spec.early_links.empty())
    throw ConfigError(where, "a given network has no layers that early_links could name; leave it empty");
  if (sigma.filters.empty() && sigma.image.empty()) return spec;
  const std::vector<std::int64_t> image = network.image();
  if (image.size() != 3)
    throw ConfigError(where,
                      "sigma_net.filters and sigma_net.image are for networks that read images, "
                      "[rows][channels][height][width]; this one reads columns, so leave them empty");
  if (!sigma.image.empty() && sigma.image != image)
    throw ConfigError(
        where,
        fmt::format(
            "sigma_net.image is {}, but the network reads images of {} (channels, height, width); leave it empty",
            fmt::join(sigma.image, " x "), fmt::join(image, " x ")));
  sigma.image = image;
  return spec;
}

std::size_t foreign_inputs(const NomuSpec& spec, const ForeignNetwork& network) {
  return network.reads_inputs() || !spec.sigma_net.convolution.filters.empty() ? network.inputs() : 0;
}

engine::Networks foreign_sigma_networks(const NomuSpec& spec, std::size_t inputs, std::size_t features) {
  NomuSpec linked = spec;
  linked.noise = Noise::none;
  linked.gradient = Gradient::stopped;
  linked.mean_net = {.hidden = {static_cast<std::int64_t>(features)}, .activation = Activation::identity};
  engine::Networks networks = nomu_networks(linked, inputs + features);
  freeze(networks.nets[0]);
  engine::Net& sigma = networks.nets[1];
  if (sigma.front.windows.empty()) return networks;
  sigma.front.extra_columns = features;
  if (!sigma.hidden.empty())
    sigma.links.push_back({.from_net = 0, .from_layer = 0, .to_layer = 0, .gradient = Gradient::stopped});
  return networks;
}

NetworkDesign sigma_design(const NomuSpec& spec, const ForeignNetwork& network) {
  return {.networks = foreign_sigma_networks(spec, foreign_inputs(spec, network), network.features()),
          .loss = LossKind::nomu,
          .per_member = static_cast<std::size_t>(spec.ensemble),
          .outputs = {.sigma = OutputMap::Sigma::readout, .readout = spec.readout}};
}

NetworkDesign noise_design(const NomuSpec& spec, const ForeignNetwork& network) {
  const std::size_t inputs = foreign_inputs(spec, network);
  return {.networks = foreign_noise_networks(spec, inputs + network.features() - skipped_by_noise(spec, inputs)),
          .loss = LossKind::gaussian_nll,
          .per_member = static_cast<std::size_t>(spec.ensemble),
          .outputs = {.noise = OutputMap::Noise::output, .noise_floor = spec.noise_floor}};
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

void share_start(const engine::Networks& networks, std::size_t features, Tensor<float>& start) {
  const engine::Net& sigma = networks.nets[1];
  const std::size_t inputs = networks.inputs - features;
  if (sigma.init != Init::he || inputs == 0 || !sigma.front.windows.empty() || sigma.hidden.empty()) return;
  const engine::Layer first = engine::make_layout(networks, LossKind::nomu).layers[2];
  const auto factor = [&](std::size_t columns) {
    return std::sqrt(static_cast<float>(networks.inputs) / (2.0F * static_cast<float>(columns)));
  };
  for (std::size_t m = 0; m < start.members(); ++m) {
    const std::span<float> own = start.member(m);
    for (std::size_t e = 0; e < networks.inputs * first.units; ++e)
      own[first.weights + e] *= factor(e < inputs * first.units ? inputs : features);
    for (std::size_t j = 0; j < first.units; ++j) own[first.bias + j] *= factor(inputs);
  }
}

engine::Networks foreign_noise_networks(const NomuSpec& spec, std::size_t inputs) {
  engine::Net carrier;
  carrier.hidden = {1};
  carrier.activation = Activation::identity;
  freeze(carrier);
  engine::Networks networks{.inputs = inputs + 1, .nets = {std::move(carrier)}};
  networks.nets.push_back(net_of(spec.noise_net, where));
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

std::size_t skipped_by_noise(const NomuSpec& spec, std::size_t inputs) {
  return spec.sigma_net.convolution.filters.empty() ? 0 : inputs;
}

Tensor<float> with_mean(const Tensor<float>& wide, const Tensor<float>& mean, std::size_t skipped) {
  Tensor<float> all(wide.members(), wide.rows(), wide.cols() - skipped + 1);
  for (std::size_t m = 0; m < wide.members(); ++m) {
    for (std::size_t i = 0; i < wide.rows(); ++i) {
      std::ranges::copy(wide.row(m, i).subspan(skipped), all.row(m, i).begin());
      all(m, i, all.cols() - 1) = mean(m, i, 0);
    }
  }
  return all;
}

}  // namespace nomu
