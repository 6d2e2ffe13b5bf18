#include "models/evidence/noise_stage.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/layout.hpp"
#include "engine/math.hpp"
#include "models/evidence/noise_limits.hpp"
#include "models/evidence/rows/inner_folds.hpp"
#include "models/network/network_plan.hpp"

namespace nomu {
namespace {

constexpr double start = 0.693;  ///< softplus(0): the noise of a network whose penalty is infinite

/// A mean network that says 0, frozen, and the noise network behind it.
engine::Networks noise_networks(const NomuSpec& spec, std::size_t inputs) {
  engine::Networks networks{.inputs = inputs, .nets = {engine::Net{}, net_of(spec.noise_net, "models/nomu")}};
  networks.nets[0].hidden = {1};
  networks.nets[0].trainable = false;
  return networks;
}

double root_mean_square(std::span<const double> values) {
  double squares = 0.0;
  for (const double value : values) squares += value * value;
  return std::sqrt(squares / static_cast<double>(values.size()));
}

}  // namespace

NoiseStage train_noise(const NomuSpec& spec, std::span<const FoldedRows> members,
                       std::span<const std::vector<double>> errors, std::span<const double> penalties, Engine& engine,
                       const Progress& progress) {
  const std::size_t candidates = penalties.size();
  std::vector<std::vector<double>> scaled;
  NoiseStage stage;
  for (const std::vector<double>& own : errors) {
    stage.scale.push_back(std::max(root_mean_square(own), 1e-9) / start);
    scaled.push_back(own);
    for (double& error : scaled.back()) error /= stage.scale.back();
  }
  Cohort cohort = training_cohort(members, scaled, candidates, engine.info().threads);
  std::vector<float> l2;
  for (std::size_t network = 0; network < cohort.members(); ++network)
    l2.push_back(
        static_cast<float>(penalties[network % candidates] * batch_share(cohort, network, spec.train.batch_size)));
  engine::TrainPlan plan = plan_of(spec.train, std::move(cohort));
  plan.networks = noise_networks(spec, plan.x.cols());
  plan.loss.kind = LossKind::gaussian_nll;
  plan.loss.noise_floor = static_cast<float>(spec.noise_floor);
  plan.networks.nets[1].l2_hidden = plan.networks.nets[1].l2_output = l2;
  const engine::Layout layout = engine::make_layout(plan.networks, plan.loss.kind);
  stage.skipped = std::ranges::find(layout.layers, std::size_t{1}, &engine::Layer::net)->weights;
  plan.start = Tensor<float>(plan.members(), 1, layout.parameters);
  for (std::size_t network = 0; network < plan.members(); ++network) {
    const std::span<float> own = plan.start.member(network);
    engine::initialise(plan.networks, layout, plan.seeds[network], own.data());
    std::ranges::fill(own.first(stage.skipped), 0.0F);
  }
  stage.trained = train(plan, engine, progress);

  const UnseenOutputs outputs(members, candidates, plan.networks, stage.trained.parameters, engine);
  for (std::size_t m = 0; m < members.size(); ++m) {
    const std::vector<std::size_t>& judges = members[m].judges;
    double best = std::numeric_limits<double>::infinity();
    stage.chosen.push_back(candidates - 1);
    stage.unseen.emplace_back();
    double factor = 1.0;
    for (std::size_t c = 0; c < candidates; ++c) {
      std::vector<double> sigma;
      double logarithms = 0.0;
      double squares = 0.0;
      double n = 0.0;
      for (std::size_t i = 0; i < scaled[m].size(); ++i)
        sigma.push_back(engine::softplus(outputs.at(m, c, i, 1)) + spec.noise_floor);
      for (const std::size_t i : judges) {
        const double weight = weight_at(members[m].rows, i);
        logarithms += weight * std::log(sigma[i]);
        squares += weight * std::pow(scaled[m][i] / sigma[i], 2);
        n += weight;
      }
      const double loss = logarithms / n + 0.5 * std::log(squares / n);  // with the best common factor
      if (loss < best || stage.unseen[m].empty()) {
        if (std::isfinite(loss)) best = loss;
        stage.chosen[m] = c;
        stage.unseen[m] = sigma;
        factor = std::sqrt(squares / n);
      }
    }
    stage.scale[m] *= factor;
    for (double& sigma : stage.unseen[m]) sigma *= stage.scale[m];
    const DataSet& rows = members[m].plain;
    const Units parts = independent_parts(rows.times.empty() ? rows : subset(rows, judges));
    const NoiseLimits limits = choose_limits(values_at(stage.unseen[m], judges), values_at(errors[m], judges), parts);
    stage.scale[m] *= limits.factor;
    stage.low.push_back(limits.low);
    stage.high.push_back(limits.high);
    for (double& sigma : stage.unseen[m]) sigma = limits.applied(sigma);
  }
  return stage;
}

}  // namespace nomu
