#include "nomu/models/foreign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/layout.hpp"
#include "engine/math.hpp"
#include "engine/session.hpp"
#include "models/artificial_points.hpp"
#include "models/foreign_plan.hpp"
#include "models/network_plan.hpp"
#include "models/nomu_plan.hpp"
#include "models/train.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr const char* where = "models/foreign";
constexpr const char* rows_block = "rows";
constexpr std::size_t pool_factor = 20;

ForeignNetwork::Evaluation evaluated(const ForeignNetwork& network, const Tensor<float>& x) {
  ForeignNetwork::Evaluation answer = network.evaluate(x);
  const auto shaped = [&](const Tensor<float>& t, std::size_t cols) {
    return t.members() == 1 && t.rows() == x.rows() && t.cols() == cols;
  };
  if (!shaped(answer.mean, 1) || !shaped(answer.features, network.features())) {
    throw DataError(where, fmt::format("for {} rows the network must give mean [1][{}][1] and features [1][{}][{}]",
                                       x.rows(), x.rows(), x.rows(), network.features()));
  }
  for (const Tensor<float>* part : {&answer.mean, &answer.features}) {
    if (!std::ranges::all_of(part->flat(), [](float v) { return std::isfinite(v); }))
      throw DataError(where, "the network gave a number that is not finite");
  }
  return answer;
}

/// One member's rows of x [M][n][d], as a block of their own.
Tensor<float> rows_of(const Tensor<float>& x, std::size_t member) {
  Tensor<float> rows(1, x.rows(), x.cols());
  std::ranges::copy(x.member(x.members() == 1 ? 0 : member), rows.flat().begin());
  return rows;
}

/// Features over the member's rows of positive weight: their root mean squares, [1][1][h].
Tensor<float> feature_scale(const Tensor<float>& features, std::span<const float> weight) {
  Tensor<float> scale(1, 1, features.cols(), 1.0F);
  for (std::size_t j = 0; j < features.cols(); ++j) {
    double sum = 0.0;
    double count = 0.0;
    for (std::size_t i = 0; i < features.rows(); ++i) {
      if (!weight.empty() && weight[i] == 0.0F) continue;
      const auto value = static_cast<double>(features(0, i, j));
      sum += value * value;
      count += 1.0;
    }
    // A unit that is silent on all rows may wake up elsewhere; it keeps its own units.
    if (sum > 0.0) scale(0, 0, j) = static_cast<float>(std::sqrt(sum / count));
  }
  return scale;
}

/// Writes (x, scaled features) of one member, [q][w + h]; x only where the sigma network reads it.
void put_rows(const Tensor<float>& x, const Tensor<float>& features, std::span<const float> scale, bool with_inputs,
              std::span<float> out) {
  auto next = out.begin();
  for (std::size_t i = 0; i < x.rows(); ++i) {
    if (with_inputs) next = std::ranges::copy(x.row(0, i), next).out;
    for (std::size_t j = 0; j < features.cols(); ++j) *next++ = features(0, i, j) / scale[j];
  }
}

/// x [1 or M][q][d] with the features beside it, [M][q][w + h]; scale is [M][1][h].
Tensor<float> with_features(const ForeignNetwork& network, const Tensor<float>& x, const Tensor<float>& scale,
                            Tensor<float>* mean) {
  const std::size_t members = scale.members();
  Tensor<float> wide(members, x.rows(), foreign_inputs(network) + network.features());
  ForeignNetwork::Evaluation answer;
  for (std::size_t m = 0; m < members; ++m) {
    const Tensor<float> rows = rows_of(x, m);
    if (m == 0 || x.members() > 1) answer = evaluated(network, rows);
    put_rows(rows, answer.features, scale.row(m, 0), network.reads_inputs(), wide.member(m));
    if (mean != nullptr) std::ranges::copy(answer.mean.flat(), mean->member(m).begin());
  }
  return wide;
}

void check(const ForeignNetwork* network, std::size_t cols) {
  if (network == nullptr) throw ConfigError(where, "there is no network to give bounds to");
  if (network->features() == 0) throw ConfigError(where, "the network must give at least one feature");
  if (network->inputs() != cols)
    throw DataError(where, fmt::format("the network reads {} columns, the data have {}", network->inputs(), cols));
}

/// Learns the noise from what the network misses on the rows, [M][1][P]; the network is the frozen mean of the plan.
Trained train_noise(const NomuSpec& spec, const Cohort& cohort, const Tensor<float>& wide, const Tensor<float>& mean,
                    Engine& engine, const Progress& progress) {
  engine::TrainPlan plan = plan_of(spec.train, cohort);
  plan.networks = foreign_noise_networks(spec, wide.cols());
  plan.loss.kind = LossKind::gaussian_nll;
  plan.loss.noise_floor = static_cast<float>(spec.noise_floor);
  plan.x = with_mean(wide, mean);
  const Tensor<float> carrier = mean_carrier(plan.networks, cohort.members());
  plan.start = start_behind(plan, carrier, carrier.cols());
  return train(plan, engine, progress);
}

/// What came of a fit: the scale of the features [M][1][h], the parameters of sigma and, where it is learned, of the
/// noise, [M][1][P] each.
struct SigmaParts {
  Tensor<float> scale;
  Trained trained;
  Tensor<float> noise;
};

class FittedSigma final : public FittedCohort {
 public:
  FittedSigma(const NomuSpec& spec, std::size_t rows, std::shared_ptr<const ForeignNetwork> network, SigmaParts parts,
              Engine& engine)
      : readout_(spec.readout),
        noise_floor_(spec.noise_floor),
        rows_(rows),
        network_(std::move(network)),
        networks_(foreign_sigma_networks(spec, foreign_inputs(*network_), network_->features())),
        noise_networks_(foreign_noise_networks(spec, networks_.inputs)),
        parts_(std::move(parts)),
        engine_(engine) {}

  [[nodiscard]] std::size_t members() const override { return parts_.trained.reports.size(); }

  [[nodiscard]] Prediction predict(const Tensor<float>& x) const override {
    Prediction prediction{
        .mean = Tensor<float>(members(), x.rows(), 1), .sigma_model = {}, .sigma_noise = {}, .sigma_below = {}};
    const Tensor<float> wide = with_features(*network_, x, parts_.scale, &prediction.mean);
    prediction.sigma_model = column(engine_.predict(networks_, parts_.trained.parameters, wide, {}, {}));
    for (float& value : prediction.sigma_model.flat()) value = static_cast<float>(readout_(static_cast<double>(value)));
    if (parts_.noise.empty()) return prediction;
    prediction.sigma_noise =
        column(engine_.predict(noise_networks_, parts_.noise, with_mean(wide, prediction.mean), {}, {}));
    for (float& value : prediction.sigma_noise.flat())
      value = static_cast<float>(engine::softplus(static_cast<double>(value)) + noise_floor_);
    return prediction;
  }

  [[nodiscard]] Tensor<float> raw_sigma(const Tensor<float>& x) const override {
    const Tensor<float> wide = with_features(*network_, x, parts_.scale, nullptr);
    return column(engine_.predict(networks_, parts_.trained.parameters, wide, {}, {}));
  }

  [[nodiscard]] const std::vector<FitReport>& reports() const override { return parts_.trained.reports; }

  [[nodiscard]] FittedState state() const override {
    FittedState state{.inputs = network_->inputs(),
                      .blocks = {{foreign_parameters_block, parts_.trained.parameters},
                                 {foreign_scale_block, parts_.scale},
                                 {rows_block, Tensor<float>(1, 1, 1, static_cast<float>(rows_))}}};
    if (!parts_.noise.empty()) state.blocks.push_back({foreign_noise_block, parts_.noise});
    return state;
  }

 private:
  /// Output 1 of all members, [M][q][1].
  [[nodiscard]] static Tensor<float> column(const Tensor<float>& outputs) {
    Tensor<float> values(outputs.members(), outputs.rows(), 1);
    for (std::size_t m = 0; m < outputs.members(); ++m) {
      for (std::size_t i = 0; i < outputs.rows(); ++i) values(m, i, 0) = outputs(m, i, 1);
    }
    return values;
  }

  Readout readout_;
  double noise_floor_;
  std::size_t rows_;
  std::shared_ptr<const ForeignNetwork> network_;
  engine::Networks networks_;
  engine::Networks noise_networks_;
  SigmaParts parts_;
  Engine& engine_;
};

}  // namespace

std::unique_ptr<FittedCohort> fit_sigma(const NomuSpec& given, std::shared_ptr<const ForeignNetwork> network,
                                        const Cohort& cohort, Engine& engine, const Progress& progress) {
  check(network.get(), cohort.cols());
  const NomuSpec spec = resolved(given, cohort.rows(), cohort.cols());
  const std::size_t members = cohort.members();
  const std::size_t features = network->features();
  Tensor<float> scale(members, 1, features);
  for (std::size_t m = 0; m < members; ++m) {
    const auto weight = cohort.row_weight.empty() ? std::span<const float>{} : cohort.row_weight.member(m);
    const Tensor<float> own = feature_scale(evaluated(*network, rows_of(cohort.x, m)).features, weight);
    std::ranges::copy(own.flat(), scale.member(m).begin());
  }
  Tensor<float> mean(members, cohort.rows(), 1);
  const Tensor<float> wide = with_features(*network, cohort.x, scale, &mean);
  Tensor<float> noise;
  if (spec.noise == Noise::learned) noise = train_noise(spec, cohort, wide, mean, engine, progress).parameters;
  NomuSpec silent = spec;  // sigma is pinned to the rows whatever their noise
  if (spec.noise == Noise::learned) silent.noise = Noise::none;
  engine::TrainPlan plan = sigma_loss_plan(silent, cohort);
  plan.networks = foreign_sigma_networks(spec, foreign_inputs(*network), features);
  plan.x = wide;
  const Tensor<float> points = draw_points(plan.augment, cohort, pool_factor * plan.augment.count);
  const bool fixed = plan.augment.kind == engine::AugmentKind::fixed;
  plan.augment = {.kind = fixed ? engine::AugmentKind::fixed : engine::AugmentKind::pool,
                  .count = plan.augment.count,
                  .box = {},
                  .points = with_features(*network, points, scale, nullptr)};
  const Tensor<float> carrier = feature_carrier(plan.networks, features, members);
  plan.start = start_behind(plan, carrier, carrier.cols());
  SigmaParts parts{.scale = std::move(scale), .trained = train(plan, engine, progress), .noise = std::move(noise)};
  return std::make_unique<FittedSigma>(spec, cohort.rows(), std::move(network), std::move(parts), engine);
}

std::unique_ptr<FittedCohort> restore_sigma(const NomuSpec& given, std::shared_ptr<const ForeignNetwork> network,
                                            const FittedState& state, std::vector<FitReport> reports, Engine& engine) {
  check(network.get(), state.inputs);
  const auto rows = static_cast<std::size_t>(state.find(rows_block, 1)(0, 0, 0));
  const NomuSpec spec = resolved(given, rows, state.inputs);
  const engine::Networks networks = foreign_sigma_networks(spec, foreign_inputs(*network), network->features());
  const std::size_t count = engine::make_layout(networks, LossKind::nomu).parameters;
  SigmaParts parts{.scale = state.find(foreign_scale_block, reports.size() * network->features()),
                   .trained = {state.find(foreign_parameters_block, reports.size() * count), {}},
                   .noise = {}};
  if (spec.noise == Noise::learned) {
    const engine::Networks noise = foreign_noise_networks(spec, networks.inputs);
    const std::size_t size = engine::make_layout(noise, LossKind::gaussian_nll).parameters;
    parts.noise = state.find(foreign_noise_block, reports.size() * size);
  }
  parts.trained.reports = std::move(reports);
  return std::make_unique<FittedSigma>(spec, rows, std::move(network), std::move(parts), engine);
}

}  // namespace nomu
