#include "models/network_plan.hpp"

#include <fmt/format.h>

#include <numeric>

#include "engine/math.hpp"
#include "nomu/core/error.hpp"

namespace nomu {

engine::Net net_of(const MlpSpec& spec, std::string_view where) {
  engine::Net net;
  for (const std::int64_t units : spec.hidden) {
    if (units < 1) throw ConfigError(where, fmt::format("hidden layers need at least one unit, got {}", units));
    net.hidden.push_back(static_cast<std::size_t>(units));
  }
  net.activation = spec.activation;
  net.init = spec.init;
  net.init_scale = static_cast<float>(spec.init_scale);
  return net;
}

engine::TrainPlan plan_of(const TrainSpec& train, const Cohort& cohort) {
  engine::TrainPlan plan;
  plan.train = train;
  plan.learning_rate = static_cast<float>(train.learning_rate);
  plan.clip_norm = static_cast<float>(train.clip_norm);
  plan.x = cohort.x;
  plan.y = cohort.y;
  plan.row_weight = cohort.row_weight;
  plan.seeds = cohort.seeds;
  return plan;
}

engine::Networks regression_networks(const RegressionNet& spec, std::size_t inputs, std::string_view where) {
  engine::Networks networks{.inputs = inputs, .nets = {net_of(spec.net, where)}};
  networks.nets[0].outputs = spec.learn_noise ? 2 : 1;
  networks.nets[0].dropout = static_cast<float>(spec.dropout);
  return networks;
}

engine::TrainPlan regression_plan(const RegressionNet& spec, const Cohort& cohort, std::string_view where) {
  engine::TrainPlan plan = plan_of(spec.train, cohort);
  plan.networks = regression_networks(spec, cohort.cols(), where);
  plan.loss.kind = regression_loss(spec.learn_noise);
  plan.loss.reduction = Reduction::mean;
  plan.loss.noise_floor = regression_noise_floor;
  std::vector<float> penalty;
  for (std::size_t m = 0; m < cohort.members(); ++m)
    penalty.push_back(static_cast<float>(spec.l2 * (1.0 - spec.dropout) / weight_of(cohort, m)));
  plan.networks.nets[0].l2_hidden = plan.networks.nets[0].l2_output = penalty;
  return plan;
}

LossKind regression_loss(bool learn_noise) { return learn_noise ? LossKind::gaussian_nll : LossKind::squared_error; }

double noise_of(float raw) { return static_cast<double>(engine::softplus(raw) + regression_noise_floor); }

double weight_of(const Cohort& cohort, std::size_t member) {
  if (cohort.row_weight.empty()) return static_cast<double>(cohort.rows());
  const auto weight = cohort.row_weight.member(member);
  return std::accumulate(weight.begin(), weight.end(), 0.0);
}

}  // namespace nomu
