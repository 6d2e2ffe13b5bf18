#include "nomu/models/foreign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/layout.hpp"
#include "models/attached/fitted_attached.hpp"
#include "models/attached/foreign_plan.hpp"
#include "models/network/ensemble.hpp"
#include "models/network/network_plan.hpp"
#include "models/network/train.hpp"
#include "models/nomu/artificial_points.hpp"
#include "models/nomu/nomu_plan.hpp"
#include "nomu/core/error.hpp"
#include "nomu/eval/statistics.hpp"

namespace nomu {
namespace {

constexpr const char* where = "models/foreign";
constexpr std::size_t pool_factor = 20;

void check_network(const ForeignNetwork* network, std::size_t cols) {
  if (network == nullptr) throw ConfigError(where, "bounds need a network, got none");
  if (network->features() == 0) throw ConfigError(where, "the network must have at least one feature");
  if (network->inputs() != cols)
    throw DataError(where, fmt::format("the network reads {} columns, but the data have {}", network->inputs(), cols));
}

/// A network with units of its own, evaluated on the scale of the fit.
class ScaledView {
 public:
  ScaledView(const ForeignNetwork& network, MemberScaling scaling, std::stop_token stop)
      : network_(network), scaling_(std::move(scaling)), stop_(std::move(stop)) {}

  /// For rows of one member, [1][q][d].
  [[nodiscard]] ForeignNetwork::Evaluation operator()(const Tensor<float>& x) const {
    Tensor<float> rows(1, x.rows(), x.cols());
    for (std::size_t e = 0; e < x.size(); ++e) {
      const std::size_t j = e % x.cols();
      rows.flat()[e] =
          static_cast<float>(static_cast<double>(x.flat()[e]) * scaling_.inputs.factor[j] + scaling_.inputs.shift[j]);
    }
    ForeignNetwork::Evaluation answer = evaluated(network_, rows, stop_);
    for (float& mean : answer.mean.flat())
      mean = static_cast<float>((static_cast<double>(mean) - scaling_.target.shift[0]) / scaling_.target.factor[0]);
    return answer;
  }

 private:
  const ForeignNetwork& network_;
  MemberScaling scaling_;
  std::stop_token stop_;
};

/// Root mean squares of the features over the member's rows of positive weight, times `share`, [h].
void write_feature_scale(const Tensor<float>& features, std::span<const float> weight, double share,
                         std::span<float> scale) {
  for (std::size_t j = 0; j < features.cols(); ++j) {
    double sum = 0.0;
    double count = 0.0;
    for (std::size_t i = 0; i < features.rows(); ++i) {
      if (!weight.empty() && weight[i] == 0.0F) continue;
      const auto value = static_cast<double>(features(0, i, j));
      sum += value * value;
      count += 1.0;
    }
    // A unit that is 0 on all rows may be active elsewhere; it is not scaled.
    scale[j] = static_cast<float>(share * (sum > 0.0 ? std::sqrt(sum / count) : 1.0));
  }
}

/// What the networks of the fit read, and the given network's predictions.
struct NetworkAnswers {
  Tensor<float> features;  ///< [M][1][h], what each feature is divided by
  Tensor<float> rows;      ///< [M][n][w + h]
  Tensor<float> mean;      ///< [M][n][1]
  Tensor<float> points;    ///< [M][k][w + h], artificial
};

NetworkAnswers ask(const ScaledView& view, std::size_t features, std::size_t inputs, bool columns, const Cohort& cohort,
                   const Tensor<float>& points) {
  const std::size_t members = cohort.members();
  // Next to columns, all features together count as one more; otherwise hundreds of them would drown out the inputs.
  const double share = columns ? std::sqrt(static_cast<double>(features)) : 1.0;
  NetworkAnswers answers{.features = Tensor<float>(members, 1, features),
                         .rows = Tensor<float>(members, cohort.rows(), inputs + features),
                         .mean = Tensor<float>(members, cohort.rows(), 1),
                         .points = Tensor<float>(members, points.rows(), inputs + features)};
  for (std::size_t m = 0; m < members; ++m) {
    const auto weight = cohort.row_weight.empty() ? std::span<const float>{} : cohort.row_weight.member(m);
    const Tensor<float> own = rows_of_member(cohort.x, m);
    const ForeignNetwork::Evaluation answer = view(own);
    write_feature_scale(answer.features, weight, share, answers.features.row(m, 0));
    write_sigma_inputs(own, answer.features, answers.features.row(m, 0), inputs > 0, answers.rows.member(m));
    std::ranges::copy(answer.mean.flat(), answers.mean.member(m).begin());
    const Tensor<float> around = rows_of_member(points, m);
    write_sigma_inputs(around, view(around).features, answers.features.row(m, 0), inputs > 0, answers.points.member(m));
  }
  return answers;
}

/// The rows of each member, repeated for each of its networks.
Tensor<float> for_parts(const Cohort& cohort, const Tensor<float>& rows, std::size_t parts) {
  Cohort changed = cohort;
  changed.x = rows;
  return repeat_members(changed, parts).x;
}

/// Learns the noise from the network's residuals, [M K][1][P]; the network is the frozen mean of the plan.
Tensor<float> train_noise(const NomuSpec& spec, const Cohort& cohort, const Tensor<float>& rows, Engine& engine,
                          const Progress& progress) {
  const auto parts = static_cast<std::size_t>(spec.ensemble);
  engine::TrainPlan plan = plan_of(spec.train, repeat_members(cohort, parts));
  plan.networks = foreign_noise_networks(spec, rows.cols() - 1);
  plan.loss.kind = LossKind::gaussian_nll;
  plan.loss.noise_floor = static_cast<float>(spec.noise_floor);
  plan.x = for_parts(cohort, rows, parts);
  const Tensor<float> carrier = mean_carrier(plan.networks, plan.members());
  plan.start = start_behind(plan, carrier, carrier.cols());
  return train(plan, engine, progress).parameters;
}

Trained train_sigma(const NomuSpec& given, const Cohort& cohort, const NetworkAnswers& answers,
                    engine::Networks networks, const engine::Augment& augment, Engine& engine,
                    const Progress& progress) {
  NomuSpec spec = given;  // sigma is pinned to the rows whatever their noise
  if (spec.noise == Noise::learned) spec.noise = Noise::none;
  const auto parts = static_cast<std::size_t>(spec.ensemble);
  engine::TrainPlan plan = sigma_loss_plan(spec, repeat_members(cohort, parts));
  plan.networks = std::move(networks);
  plan.x = for_parts(cohort, answers.rows, parts);
  const bool fixed = augment.kind == engine::AugmentKind::fixed;
  plan.augment = {.kind = fixed ? engine::AugmentKind::fixed : engine::AugmentKind::pool,
                  .count = augment.count,
                  .box = {},
                  .points = repeat_rows(answers.points, cohort.members(), parts)};
  const Tensor<float> carrier = feature_carrier(plan.networks, answers.features.cols(), plan.members());
  plan.start = start_behind(plan, carrier, carrier.cols());
  share_start(plan.networks, answers.features.cols(), plan.start);
  return train(plan, engine, progress);
}

std::vector<double> front(const Tensor<float>& values, std::size_t member, std::size_t rows) {
  const std::span<const float> own = values.member(member).first(rows);
  return {own.begin(), own.end()};
}

/// Limits the noise to the range it has at the rows; away from them, where sigma rises, it tends to that of all rows.
Tensor<float> noise_heads(const AttachedNetworks& attached, const NetworkAnswers& answers,
                          const Tensor<float>& noise_rows, const Cohort& cohort, double target_factor) {
  const Tensor<float> noise = attached.noise->predict(noise_rows).sigma_noise;
  const Tensor<float> near = attached.sigma->predict(answers.rows).sigma_model;
  const Tensor<float> far = attached.sigma->predict(answers.points).sigma_model;
  Tensor<float> heads(cohort.members(), 1, NetworkHead::size);
  for (std::size_t m = 0; m < cohort.members(); ++m) {
    const std::size_t rows = member_rows(cohort, m);
    const std::vector<double> at_rows = front(noise, m, rows);
    const std::vector<double> sigma = front(near, m, rows);
    double squares = 0.0;
    for (const double value : at_rows) squares += value * value;
    NetworkHead head{.noise_low = quantile(at_rows, 0.01),
                     .noise_high = quantile(at_rows, 0.99),
                     .noise_far = std::sqrt(squares / static_cast<double>(rows)),
                     .raw_near = quantile(sigma, 0.95)};
    head.raw_far = std::max(quantile(front(far, m, far.rows()), 0.75), 2.0 * head.raw_near + 1e-6);
    for (double* number : {&head.noise_low, &head.noise_high, &head.noise_far, &head.raw_near, &head.raw_far})
      *number *= target_factor;
    head.store(heads.row(m, 0));
  }
  return heads;
}

}  // namespace

std::unique_ptr<FittedCohort> fit_sigma_in(const NomuSpec& given, std::shared_ptr<const ForeignNetwork> network,
                                           const ForeignScale& scale, const Cohort& cohort, Engine& engine,
                                           const Progress& progress) {
  check_network(network.get(), cohort.cols());
  const NomuSpec spec = adapted_to(given, *network);
  const std::size_t inputs = foreign_inputs(spec, *network);
  NetworkDesign sigma = sigma_design(spec, *network);
  const engine::Augment augment = artificial_points(spec.augment, cohort);
  // Drawn and evaluated once for all networks of a member.
  const Tensor<float> points = draw_points(augment, cohort, pool_factor * augment.count);
  NetworkAnswers answers = ask(ScaledView(*network, scale.scaling(), progress.stop), network->features(), inputs,
                               network->reads_inputs(), cohort, points);
  Tensor<float> noise;
  Tensor<float> noise_rows;
  if (spec.noise == Noise::learned) {
    noise_rows = with_mean(answers.rows, answers.mean, skipped_by_noise(spec, inputs));
    noise = train_noise(spec, cohort, noise_rows, engine, progress);
  }
  Trained trained = train_sigma(spec, cohort, answers, sigma.networks, augment, engine, progress);
  const Tensor<float> weights = kept_networks(trained.reports, sigma.per_member);
  std::vector<FitReport> reports = merged(std::move(trained.reports), weights, cohort.seeds);
  AttachedNetworks attached{.feature_scale = answers.features, .sigma = {}, .noise = {}};
  if (!noise.empty())
    attached.noise = std::make_unique<FittedNetwork>(noise_design(spec, *network),
                                                     NetworkParts{std::move(noise), weights}, reports, engine);
  attached.sigma = std::make_unique<FittedNetwork>(
      std::move(sigma), NetworkParts{std::move(trained.parameters), weights}, std::move(reports), engine);
  if (attached.noise)
    attached.noise_heads = noise_heads(attached, answers, noise_rows, cohort, scale.scaling().target.factor[0]);
  return std::make_unique<FittedAttached>(std::move(network), scale, std::move(attached));
}

std::unique_ptr<FittedCohort> fit_sigma(const NomuSpec& spec, std::shared_ptr<const ForeignNetwork> network,
                                        const Cohort& cohort, Engine& engine, const Progress& progress) {
  return fit_sigma_in(resolved(spec, cohort.rows(), cohort.cols()), std::move(network),
                      ForeignScale::identity(cohort.cols()), cohort, engine, progress);
}

std::unique_ptr<FittedCohort> restore_sigma(const NomuSpec& spec, std::shared_ptr<const ForeignNetwork> network,
                                            const FittedState& state, std::vector<FitReport> reports, Engine& engine) {
  check_network(network.get(), state.inputs);
  return FittedAttached::from(resolved(spec, 1, state.inputs), std::move(network), state, std::move(reports), engine);
}

}  // namespace nomu
