#include "models/nomu/nomu_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "engine/layout.hpp"
#include "models/network/network_plan.hpp"
#include "models/nomu/artificial_points.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr const char* where = "models/nomu";

void set_loss(const NomuSpec& spec, engine::Loss& loss) {
  loss.kind = nomu_loss(spec.noise);
  loss.stable = spec.stable;
  loss.noise_floor = static_cast<float>(spec.noise_floor);
  loss.mu_sqr = static_cast<float>(spec.mu_sqr);
  loss.mu_exp = static_cast<float>(spec.mu_exp);
  loss.c_exp = static_cast<float>(spec.c_exp);
}

/// The known noise of the rows, if the spec asks for it.
const Tensor<float>& given_noise(const NomuSpec& spec, const Cohort& cohort) {
  static const Tensor<float> nothing;
  if (spec.noise != Noise::known) return nothing;
  if (cohort.noise.empty()) {
    throw DataError(where, "noise = known needs the data noise of every row; name its column, or use noise = learned");
  }
  return cohort.noise;
}

/// From the last of the mean network's `mean_layers` hidden layers to the head of the sigma network, and from the
/// earlier ones that the spec names to its hidden layers.
std::vector<engine::Link> links_of(const NomuSpec& spec, std::size_t mean_layers, std::size_t sigma_layers) {
  std::vector<engine::Link> links{
      {.from_net = 0, .from_layer = mean_layers - 1, .to_layer = sigma_layers, .gradient = spec.gradient}};
  std::set<std::int64_t> seen;
  for (const std::int64_t layer : spec.early_links) {
    if (layer < 1 || layer >= static_cast<std::int64_t>(mean_layers)) {
      throw ConfigError(
          where, fmt::format("early_links names hidden layer {} of mean_net, which has {}; earlier than "
                             "its last are {}",
                             layer, mean_layers, mean_layers == 1 ? "none" : fmt::format("1 to {}", mean_layers - 1)));
    }
    if (!seen.insert(layer).second)
      throw ConfigError(where, fmt::format("early_links names hidden layer {} of mean_net twice", layer));
    const auto depth = static_cast<std::size_t>(layer);
    links.push_back(
        {.from_net = 0, .from_layer = depth - 1, .to_layer = std::min(depth, sigma_layers), .gradient = spec.gradient});
  }
  return links;
}

}  // namespace

engine::Networks mean_networks(const NomuSpec& spec, std::size_t inputs) {
  engine::Networks networks{.inputs = inputs, .nets = {net_of(spec.mean_net, where)}};
  engine::Net& mean = networks.nets[0];
  if (mean.hidden.empty())
    throw ConfigError(where, "mean_net.hidden needs at least one layer for the sigma network to read");
  mean.l2_hidden = mean.l2_output = static_cast<float>(spec.l2);
  if (spec.noise == Noise::learned) {
    networks.nets.push_back(net_of(spec.noise_net, where));
    networks.nets[1].l2_hidden = networks.nets[1].l2_output = static_cast<float>(spec.l2_noise);
  }
  return networks;
}

engine::Networks nomu_networks(const NomuSpec& spec, std::size_t inputs) {
  check(spec.readout);
  engine::Networks networks = mean_networks(spec, inputs);
  engine::Net sigma = net_of(spec.sigma_net, where);
  sigma.links = links_of(spec, networks.nets[0].hidden.size(), sigma.hidden.size());
  sigma.l2_output = static_cast<float>(spec.l2);
  sigma.l2_hidden = static_cast<float>(spec.l2_sigma);
  networks.nets.push_back(std::move(sigma));
  return networks;
}

LossKind nomu_loss(Noise noise) {
  switch (noise) {
    case Noise::known: return LossKind::nomu_known;
    case Noise::learned: return LossKind::nomu_noise;
    case Noise::none: break;
  }
  return LossKind::nomu;
}

NetworkDesign design_of(const NomuSpec& spec, std::size_t inputs) {
  return {.networks = nomu_networks(spec, inputs),
          .loss = nomu_loss(spec.noise),
          .per_member = static_cast<std::size_t>(spec.ensemble),
          .outputs = {.sigma = OutputMap::Sigma::readout,
                      .noise = spec.noise == Noise::learned ? OutputMap::Noise::output : OutputMap::Noise::none,
                      .readout = spec.readout,
                      .noise_floor = spec.noise_floor}};
}

std::size_t mean_size(const NetworkDesign& design) {
  engine::Networks before = design.networks;
  before.nets.pop_back();
  return engine::make_layout(before, design.loss).parameters;
}

engine::TrainPlan sigma_loss_plan(const NomuSpec& spec, Cohort cohort) {
  engine::Augment augment = artificial_points(spec.augment, cohort);
  Tensor<float> noise = given_noise(spec, cohort);
  engine::TrainPlan plan = plan_of(spec.train, std::move(cohort));
  set_loss(spec, plan.loss);
  plan.loss.fit_mean = false;
  plan.augment = std::move(augment);
  plan.noise = std::move(noise);
  return plan;
}

engine::TrainPlan joint_plan(const NomuSpec& spec, Cohort cohort) {
  const std::size_t inputs = cohort.cols();
  engine::TrainPlan plan = sigma_loss_plan(spec, std::move(cohort));
  plan.networks = nomu_networks(spec, inputs);
  plan.loss.fit_mean = true;
  return plan;
}

engine::TrainPlan mean_plan(const NomuSpec& spec, Cohort cohort) {
  const Tensor<float> noise = given_noise(spec, cohort);
  engine::TrainPlan plan = plan_of(spec.train, std::move(cohort));
  plan.networks = mean_networks(spec, plan.x.cols());
  plan.loss.kind = spec.noise == Noise::learned ? LossKind::gaussian_nll : LossKind::squared_error;
  plan.loss.noise_floor = static_cast<float>(spec.noise_floor);
  if (!noise.empty()) {
    // Squared errors divided by twice the variance, expressed as row weights.
    if (plan.row_weight.empty()) plan.row_weight = Tensor<float>(plan.members(), plan.x.rows(), 1, 1.0F);
    for (std::size_t e = 0; e < noise.size(); ++e) {
      const float sigma = noise.flat()[e];
      if (!(sigma > 0.0F) && plan.row_weight.flat()[e] > 0.0F)
        throw DataError(where, fmt::format("the known data noise must be positive, got {}", sigma));
      plan.row_weight.flat()[e] *= 0.5F / (sigma * sigma);
    }
  }
  return plan;
}

engine::TrainPlan sigma_plan(const NomuSpec& spec, Cohort cohort, const Tensor<float>& mean) {
  engine::TrainPlan plan = sigma_loss_plan(spec, std::move(cohort));
  const std::size_t inputs = plan.x.cols();
  plan.networks = nomu_networks(spec, inputs);
  engine::Net& sigma = plan.networks.nets.back();
  for (engine::Net& net : plan.networks.nets) {
    if (&net == &sigma) continue;
    net.trainable = false;
    net.l2_hidden = net.l2_output = 0.0F;
  }
  for (engine::Link& link : sigma.links) link.gradient = Gradient::stopped;
  plan.start = start_behind(plan, mean, mean_size(design_of(spec, inputs)));
  return plan;
}

Tensor<float> start_behind(const engine::TrainPlan& plan, const Tensor<float>& front, std::size_t count) {
  const engine::Layout layout = engine::make_layout(plan.networks, plan.loss.kind);
  Tensor<float> start(plan.members(), 1, layout.parameters);
  for (std::size_t m = 0; m < plan.members(); ++m) {
    engine::initialise(plan.networks, layout, plan.seeds[m], start.member(m).data());
    std::ranges::copy(front.member(m).first(count), start.member(m).begin());
  }
  return start;
}

}  // namespace nomu
