#include "models/evidence/mean_stage.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/team.hpp"
#include "models/evidence/rows/inner_folds.hpp"
#include "models/network/network_plan.hpp"
#include "models/network/per_member.hpp"
#include "models/nomu/nomu_plan.hpp"
#include "nomu/eval/metrics.hpp"

namespace nomu {
namespace {

constexpr double steps_of_weight = 0.1;

NomuSpec without_noise(NomuSpec spec) {
  spec.noise = Noise::none;
  return spec;
}

/// Continuous ranked probability score of predictions with constant Gaussian noise: quadratic in small errors, linear
/// in large ones. Infinite if a prediction is not finite. `weights`: of the rows; empty: all count alike.
double score(std::span<const double> predicted, std::span<const double> targets, std::span<const double> weights) {
  const auto weight_at = [&](std::size_t i) { return weights.empty() ? 1.0 : weights[i]; };
  double squares = 0.0;
  double total = 0.0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    squares += weight_at(i) * std::pow(targets[i] - predicted[i], 2);
    total += weight_at(i);
  }
  if (!std::isfinite(squares)) return std::numeric_limits<double>::infinity();
  const std::vector<double> sigma(targets.size(), std::max(std::sqrt(squares / total), 1e-9));
  if (weights.empty()) return crps(predicted, sigma, targets);
  double sum = 0.0;
  for (std::size_t i = 0; i < targets.size(); ++i)
    sum += weights[i] * crps(predicted.subspan(i, 1), std::span(sigma).subspan(i, 1), targets.subspan(i, 1));
  return sum / total;
}

/// All ways to add one of the candidates that are not in the mixture yet.
std::vector<Chosen> with_one_more(const Chosen& chosen, std::size_t candidates) {
  std::vector<Chosen> all;
  const double first = chosen.candidates.empty() ? 1.0 : 0.0;
  for (std::size_t c = 0; c < candidates; ++c) {
    if (std::ranges::find(chosen.candidates, c) != chosen.candidates.end()) continue;
    for (double weight = first; weight <= (first > 0.0 ? 1.0 : 0.55); weight += steps_of_weight) {
      all.push_back(chosen);
      for (double& before : all.back().weights) before *= 1.0 - weight;
      all.back().candidates.push_back(c);
      all.back().weights.push_back(weight);
    }
  }
  return all;
}

}  // namespace

MeanStage train_means(const NomuSpec& given, std::span<const FoldedRows> members,
                      std::span<const std::vector<double>> penalties, bool linear_trend, Engine& engine,
                      const Progress& progress) {
  const NomuSpec spec = without_noise(given);
  const std::size_t candidates = penalties.front().size();
  const std::size_t folds = members.front().folds.size();
  MeanStage stage;
  std::vector<std::vector<double>> targets;
  for (const FoldedRows& member : members) targets.push_back(member.rows.targets);
  Cohort cohort = training_cohort(members, targets, candidates, engine.info().threads);
  stage.trends.resize(members.size() * folds);
  stage.residual_scale.resize(stage.trends.size());
  std::vector<float> l2(cohort.members());
  per_member(stage.trends.size(), engine.info().threads, "trend", {}, [&](std::size_t part) {
    const FoldedRows& member = members[part / folds];
    const std::vector<std::size_t>& train = member.folds[part % folds].train;
    const Trend trend = fit_trend(member.rows, train, linear_trend);
    std::vector<double> rest;
    rest.reserve(train.size());
    for (const std::size_t i : train) rest.push_back(member.rows.targets[i] - trend.at(member.rows.row(i)));
    const double squares = std::inner_product(rest.begin(), rest.end(), rest.begin(), 0.0);
    const double scale = std::max(std::sqrt(squares / static_cast<double>(rest.size())), 1e-6);
    for (std::size_t c = 0; c < candidates; ++c) {
      const std::size_t network = part * candidates + c;
      for (std::size_t k = 0; k < rest.size(); ++k) cohort.y(network, k, 0) = static_cast<float>(rest[k] / scale);
      l2[network] =
          static_cast<float>(penalties[part / folds][c] * batch_share(cohort, network, spec.train.batch_size));
    }
    stage.trends[part] = trend;
    stage.residual_scale[part] = scale;
  });
  engine::TrainPlan plan = mean_plan(spec, std::move(cohort));
  plan.networks.nets[0].l2_hidden = plan.networks.nets[0].l2_output = l2;
  stage.trained = train(plan, engine, progress);

  const UnseenOutputs outputs(members, candidates, plan.networks, stage.trained.parameters, engine);
  for (std::size_t m = 0; m < members.size(); ++m) {
    stage.unseen.emplace_back(candidates, std::vector<double>(members[m].rows.rows()));
    for (std::size_t f = 0; f < folds; ++f) {
      const std::size_t at = m * folds + f;
      for (const std::size_t i : members[m].folds[f].test) {
        const double trend = stage.trends[at].at(members[m].rows.row(i));
        for (std::size_t c = 0; c < candidates; ++c)
          stage.unseen[m][c][i] = trend + stage.residual_scale[at] * outputs.at(m, c, i, 0);
      }
    }
  }
  return stage;
}

std::vector<double> Chosen::mixed(std::span<const std::vector<double>> predictions) const {
  std::vector<double> sum(predictions.front().size(), 0.0);
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    if (weights[k] == 0.0) continue;
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += weights[k] * predictions[candidates[k]][i];
  }
  return sum;
}

Chosen choose(std::span<const std::vector<double>> unseen, std::span<const double> targets,
              std::span<const std::size_t> judges, std::size_t count, std::int64_t threads,
              std::span<const double> weights) {
  const std::vector<double> judged = values_at(targets, judges);
  const std::vector<double> counted = weights.empty() ? std::vector<double>{} : values_at(weights, judges);
  Chosen chosen;
  while (chosen.candidates.size() < std::min(count, unseen.size())) {
    const std::vector<Chosen> tried = with_one_more(chosen, unseen.size());
    std::vector<double> scores(tried.size());
    side_by_side(tried.size(), threads,
                 [&](std::size_t t) { scores[t] = score(values_at(tried[t].mixed(unseen), judges), judged, counted); });
    chosen = tried[static_cast<std::size_t>(std::ranges::min_element(scores) - scores.begin())];
  }
  return chosen;
}

}  // namespace nomu
