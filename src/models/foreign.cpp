#include "nomu/models/foreign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/layout.hpp"
#include "engine/session.hpp"
#include "models/artificial_points.hpp"
#include "models/network_plan.hpp"
#include "models/nomu_plan.hpp"
#include "models/train.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr const char* where = "models/foreign";
constexpr const char* parameters_block = "parameters";
constexpr const char* scale_block = "feature_scale";
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

/// Writes (x, scaled features) of one member, [q][d + h].
void put_rows(const Tensor<float>& x, const Tensor<float>& features, std::span<const float> scale,
              std::span<float> out) {
  auto next = out.begin();
  for (std::size_t i = 0; i < x.rows(); ++i) {
    next = std::ranges::copy(x.row(0, i), next).out;
    for (std::size_t j = 0; j < features.cols(); ++j) *next++ = features(0, i, j) / scale[j];
  }
}

/// x [1 or M][q][d] with the features beside it, [M][q][d + h]; scale is [M][1][h].
Tensor<float> with_features(const ForeignNetwork& network, const Tensor<float>& x, const Tensor<float>& scale,
                            Tensor<float>* mean) {
  const std::size_t members = scale.members();
  Tensor<float> wide(members, x.rows(), x.cols() + network.features());
  ForeignNetwork::Evaluation answer;
  for (std::size_t m = 0; m < members; ++m) {
    const Tensor<float> rows = rows_of(x, m);
    if (m == 0 || x.members() > 1) answer = evaluated(network, rows);
    put_rows(rows, answer.features, scale.row(m, 0), wide.member(m));
    if (mean != nullptr) std::ranges::copy(answer.mean.flat(), mean->member(m).begin());
  }
  return wide;
}

/// Net 0 hands the features on to the head of sigma, net 1. Its output, which would be the mean, is nobody's.
engine::Networks sigma_networks(const NomuSpec& spec, std::size_t inputs, std::size_t features) {
  NomuSpec linked = spec;
  linked.noise = Noise::none;
  linked.gradient = Gradient::stopped;
  linked.mean_net = {.hidden = {static_cast<std::int64_t>(features)}, .activation = Activation::identity};
  engine::Networks networks = nomu_networks(linked, inputs + features);
  engine::Net& carrier = networks.nets[0];
  carrier.trainable = false;
  carrier.l2_hidden = carrier.l2_output = 0.0F;
  return networks;
}

/// Parameters of net 0, [M][1][P]: each hidden unit is one feature, unchanged.
Tensor<float> carrier_parameters(const engine::Layout& layout, std::size_t inputs, std::size_t features,
                                 std::size_t members) {
  Tensor<float> values(members, 1, layout.layers[2].weights);
  const engine::Layer& hidden = layout.layers[0];
  for (std::size_t m = 0; m < members; ++m) {
    for (std::size_t j = 0; j < features; ++j) values(m, 0, hidden.weights + (inputs + j) * features + j) = 1.0F;
  }
  return values;
}

void check(const NomuSpec& spec, const ForeignNetwork* network, std::size_t cols) {
  if (network == nullptr) throw ConfigError(where, "there is no network to give bounds to");
  if (network->features() == 0) throw ConfigError(where, "the network must give at least one feature");
  if (network->inputs() != cols)
    throw DataError(where, fmt::format("the network reads {} columns, the data have {}", network->inputs(), cols));
  if (spec.noise == Noise::learned)
    throw ConfigError(where, "noise cannot be learned beside a given mean; use noise = none or known");
}

class FittedSigma final : public FittedCohort {
 public:
  FittedSigma(const NomuSpec& spec, std::size_t rows, std::shared_ptr<const ForeignNetwork> network,
              Tensor<float> scale, Trained trained, Engine& engine)
      : readout_(spec.readout),
        rows_(rows),
        network_(std::move(network)),
        networks_(sigma_networks(spec, network_->inputs(), network_->features())),
        scale_(std::move(scale)),
        trained_(std::move(trained)),
        engine_(engine) {}

  [[nodiscard]] std::size_t members() const override { return trained_.reports.size(); }

  [[nodiscard]] Prediction predict(const Tensor<float>& x) const override {
    Prediction prediction{
        .mean = Tensor<float>(members(), x.rows(), 1), .sigma_model = {}, .sigma_noise = {}, .sigma_below = {}};
    prediction.sigma_model = raw(x, &prediction.mean);
    for (float& value : prediction.sigma_model.flat()) value = static_cast<float>(readout_(static_cast<double>(value)));
    return prediction;
  }

  [[nodiscard]] Tensor<float> raw_sigma(const Tensor<float>& x) const override { return raw(x, nullptr); }

  [[nodiscard]] const std::vector<FitReport>& reports() const override { return trained_.reports; }

  [[nodiscard]] FittedState state() const override {
    return {.inputs = network_->inputs(),
            .blocks = {{parameters_block, trained_.parameters},
                       {scale_block, scale_},
                       {rows_block, Tensor<float>(1, 1, 1, static_cast<float>(rows_))}}};
  }

 private:
  [[nodiscard]] Tensor<float> raw(const Tensor<float>& x, Tensor<float>* mean) const {
    const Tensor<float> wide = with_features(*network_, x, scale_, mean);
    const Tensor<float> outputs = engine_.predict(networks_, trained_.parameters, wide, {}, {});
    Tensor<float> values(members(), x.rows(), 1);
    for (std::size_t m = 0; m < members(); ++m) {
      for (std::size_t i = 0; i < x.rows(); ++i) values(m, i, 0) = outputs(m, i, 1);
    }
    return values;
  }

  Readout readout_;
  std::size_t rows_;
  std::shared_ptr<const ForeignNetwork> network_;
  engine::Networks networks_;
  Tensor<float> scale_;  ///< [M][1][h]
  Trained trained_;
  Engine& engine_;
};

}  // namespace

std::unique_ptr<FittedCohort> fit_sigma(const NomuSpec& given, std::shared_ptr<const ForeignNetwork> network,
                                        const Cohort& cohort, Engine& engine, const Progress& progress) {
  check(given, network.get(), cohort.cols());
  const NomuSpec spec = resolved(given, cohort.rows(), cohort.cols());
  const std::size_t members = cohort.members();
  const std::size_t features = network->features();
  Tensor<float> scale(members, 1, features);
  for (std::size_t m = 0; m < members; ++m) {
    const auto weight = cohort.row_weight.empty() ? std::span<const float>{} : cohort.row_weight.member(m);
    const Tensor<float> own = feature_scale(evaluated(*network, rows_of(cohort.x, m)).features, weight);
    std::ranges::copy(own.flat(), scale.member(m).begin());
  }
  engine::TrainPlan plan = sigma_loss_plan(spec, cohort);
  plan.networks = sigma_networks(spec, cohort.cols(), features);
  plan.x = with_features(*network, cohort.x, scale, nullptr);
  const Tensor<float> points = draw_points(plan.augment, cohort, pool_factor * plan.augment.count);
  const bool fixed = plan.augment.kind == engine::AugmentKind::fixed;
  plan.augment = {.kind = fixed ? engine::AugmentKind::fixed : engine::AugmentKind::pool,
                  .count = plan.augment.count,
                  .box = {},
                  .points = with_features(*network, points, scale, nullptr)};
  const engine::Layout layout = engine::make_layout(plan.networks, plan.loss.kind);
  const Tensor<float> carrier = carrier_parameters(layout, cohort.cols(), features, members);
  plan.start = start_behind(plan, carrier, carrier.cols());
  Trained trained = train(plan, engine, progress);
  return std::make_unique<FittedSigma>(spec, cohort.rows(), std::move(network), std::move(scale), std::move(trained),
                                       engine);
}

std::unique_ptr<FittedCohort> restore_sigma(const NomuSpec& given, std::shared_ptr<const ForeignNetwork> network,
                                            const FittedState& state, std::vector<FitReport> reports, Engine& engine) {
  check(given, network.get(), state.inputs);
  const auto rows = static_cast<std::size_t>(state.find(rows_block, 1)(0, 0, 0));
  const NomuSpec spec = resolved(given, rows, state.inputs);
  const engine::Networks networks = sigma_networks(spec, state.inputs, network->features());
  const std::size_t count = engine::make_layout(networks, LossKind::nomu).parameters;
  const Tensor<float>& scale = state.find(scale_block, reports.size() * network->features());
  const Tensor<float>& parameters = state.find(parameters_block, reports.size() * count);
  return std::make_unique<FittedSigma>(spec, rows, std::move(network), scale, Trained{parameters, std::move(reports)},
                                       engine);
}

}  // namespace nomu
