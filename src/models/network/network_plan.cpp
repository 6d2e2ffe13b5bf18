#include "models/network/network_plan.hpp"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "nomu/core/error.hpp"

namespace nomu {
namespace {

/// One number for each of `count` convolutions; a single number is repeated.
std::vector<std::size_t> for_each_of(std::size_t count, const std::vector<std::int64_t>& values, const char* name,
                                     std::string_view where) {
  if (values.size() != 1 && values.size() != count) {
    throw ConfigError(where, fmt::format("{} must be one number for all {} convolutions or one for each, got {}", name,
                                         count, values.size()));
  }
  std::vector<std::size_t> each;
  for (std::size_t i = 0; i < count; ++i) each.push_back(static_cast<std::size_t>(values[values.size() == 1 ? 0 : i]));
  return each;
}

engine::Front front_of(const ConvolutionSpec& spec, std::string_view where) {
  const std::size_t count = spec.filters.size();
  if (count == 0 && spec.image.empty()) return {};
  if (count == 0) throw ConfigError(where, "an image needs filters, for example filters = 8,16");
  if (spec.image.size() != 3) {
    throw ConfigError(where, fmt::format("with filters, image must be three numbers (channels, height, width), got {}",
                                         spec.image.size()));
  }
  engine::Front front{.image = {}, .windows = {}, .pooling = spec.pooling};
  const std::vector<std::size_t> image = for_each_of(3, spec.image, "image", where);
  front.image = {image[0], image[1], image[2]};
  const std::vector<std::size_t> filters = for_each_of(count, spec.filters, "filters", where);
  const std::vector<std::size_t> kernel = for_each_of(count, spec.kernel, "kernel", where);
  const std::vector<std::size_t> stride = for_each_of(count, spec.stride, "stride", where);
  const std::vector<std::size_t> padding = for_each_of(count, spec.padding, "padding", where);
  const std::vector<std::size_t> pool = for_each_of(count, spec.pool, "pool", where);
  for (std::size_t i = 0; i < count; ++i)
    front.windows.push_back({filters[i], kernel[i], stride[i], padding[i], pool[i]});
  return front;
}

}  // namespace

void refuse_convolutions(const MlpSpec& spec, std::string_view where) {
  if (spec.convolution.filters.empty()) return;
  throw ConfigError(
      where,
      "this method does not support convolutions; use nomu, deep_ensemble or mc_dropout, or leave filters empty");
}

engine::Net net_of(const MlpSpec& spec, std::string_view where) {
  engine::Net net;
  net.front = front_of(spec.convolution, where);
  for (const std::int64_t units : spec.hidden) {
    if (units < 1) throw ConfigError(where, fmt::format("hidden layers need at least one unit, got {}", units));
    net.hidden.push_back(static_cast<std::size_t>(units));
  }
  net.activation = spec.activation;
  net.init = spec.init;
  net.init_scale = static_cast<float>(spec.init_scale);
  return net;
}

engine::TrainPlan plan_of(const TrainSpec& train, Cohort cohort) {
  engine::TrainPlan plan;
  plan.train = train;
  plan.learning_rate = static_cast<float>(train.learning_rate);
  plan.clip_norm = static_cast<float>(train.clip_norm);
  plan.x = std::move(cohort.x);
  plan.y = std::move(cohort.y);
  plan.row_weight = std::move(cohort.row_weight);
  plan.seeds = std::move(cohort.seeds);
  return plan;
}

engine::Networks regression_networks(const RegressionNet& spec, std::size_t inputs, std::string_view where) {
  engine::Networks networks{.inputs = inputs, .nets = {net_of(spec.net, where)}};
  networks.nets[0].outputs = spec.learn_noise ? 2 : 1;
  networks.nets[0].dropout = static_cast<float>(spec.dropout);
  for (const double rate : spec.dropout_layers) networks.nets[0].dropout_layers.emplace_back(static_cast<float>(rate));
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

OutputMap regression_outputs(bool learn_noise) {
  return {.noise = learn_noise ? OutputMap::Noise::output : OutputMap::Noise::none,
          .noise_floor = static_cast<double>(regression_noise_floor),
          .noise_in_float = true};
}

double weight_of(const Cohort& cohort, std::size_t member) {
  if (cohort.row_weight.empty()) return static_cast<double>(cohort.rows());
  const auto weight = cohort.row_weight.member(member);
  return std::accumulate(weight.begin(), weight.end(), 0.0);
}

}  // namespace nomu
