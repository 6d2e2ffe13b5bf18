#include "nomu/models/deep_ensemble.hpp"

#include <fmt/format.h>

#include <utility>

#include "engine/layout.hpp"
#include "engine/predictor.hpp"
#include "engine/session.hpp"
#include "models/network/automatic.hpp"
#include "models/network/ensemble.hpp"
#include "models/network/mixture.hpp"
#include "models/network/network_plan.hpp"
#include "models/network/train.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr const char* where = "models/deep_ensemble";
constexpr const char* parameters_block = "parameters";

RegressionNet net_of(const DeepEnsembleSpec& spec) {
  if (spec.networks < 1)
    throw ConfigError(where, fmt::format("an ensemble needs at least one network, got {}", spec.networks));
  return {.net = spec.net, .train = spec.train, .learn_noise = spec.learn_noise, .l2 = spec.l2};
}

class FittedDeepEnsemble final : public FittedCohort {
 public:
  /// `parameters` [M K][1][P], the networks of a member next to each other.
  FittedDeepEnsemble(engine::Networks networks, Tensor<float> parameters, std::vector<FitReport> reports,
                     Engine& engine)
      : networks_(std::move(networks)),
        parameters_(std::move(parameters)),
        reports_(std::move(reports)),
        engine_(engine) {}

  [[nodiscard]] std::size_t members() const override { return reports_.size(); }

  [[nodiscard]] Prediction predict(const Tensor<float>& x) const override {
    const std::size_t networks = parameters_.members() / members();
    const Tensor<float> outputs = predictions_(engine_, networks_, parameters_, spread(x, members(), networks));
    Mixture mixture(members(), x.rows());
    for (std::size_t k = 0; k < outputs.members(); ++k) mixture.add(k / networks, outputs.member(k));
    return mixture.prediction();
  }

  [[nodiscard]] const std::vector<FitReport>& reports() const override { return reports_; }

  [[nodiscard]] FittedState state() const override {
    return {.inputs = networks_.inputs, .blocks = {{parameters_block, parameters_}}};
  }

 private:
  engine::Networks networks_;
  Tensor<float> parameters_;
  std::vector<FitReport> reports_;
  Engine& engine_;
  mutable engine::RepeatedPredictions predictions_;
};

}  // namespace

DeepEnsembleSpec DeepEnsembleSpec::published() {
  DeepEnsembleSpec spec;
  spec.net = {.hidden = {256, 1024, 512}};
  spec.train = {.clip_norm = 1000.0, .snapshot = Snapshot::none};
  spec.l2 = 1e-8;
  return spec;
}

DeepEnsembleSpec resolved(const DeepEnsembleSpec& given, std::size_t rows, std::size_t /*cols*/) {
  DeepEnsembleSpec spec = given;
  resolve_regression(spec.net, spec.learn_noise);
  resolve(spec.train, rows);
  resolve_penalty(spec.l2, spec.learn_noise);
  return spec;
}

Fields fields_of(DeepEnsembleSpec& spec) {
  Fields f(where);
  f.add("networks", spec.networks, Range::at_least(1), "networks of the ensemble");
  f.add("l2", spec.l2, Range::at_least(-1.0), "L2 penalty, over n beside the mean loss; negative: chosen");
  f.add("learn_noise", spec.learn_noise, "a second output for the data noise, trained by likelihood");
  f.add_nested("net", fields_of(spec.net));
  f.add_nested("train", fields_of(spec.train));
  return f;
}

std::unique_ptr<FittedCohort> fit(const DeepEnsembleSpec& given, const Cohort& cohort, Engine& engine,
                                  const Progress& progress) {
  const DeepEnsembleSpec spec = resolved(given, cohort.rows(), cohort.cols());
  const RegressionNet net = net_of(spec);
  const Cohort networks = spread(cohort, static_cast<std::size_t>(spec.networks));
  engine::TrainPlan plan = regression_plan(net, networks, where);
  Trained trained = train(plan, engine, progress);
  return std::make_unique<FittedDeepEnsemble>(std::move(plan.networks), std::move(trained.parameters),
                                              merged(std::move(trained.reports), cohort.seeds), engine);
}

std::unique_ptr<FittedCohort> restore(const DeepEnsembleSpec& given, const FittedState& state,
                                      std::vector<FitReport> reports, Engine& engine) {
  const DeepEnsembleSpec spec = resolved(given, 1, state.inputs);  // the layers do not depend on the rows
  engine::Networks networks = regression_networks(net_of(spec), state.inputs, where);
  const std::size_t count = engine::make_layout(networks, regression_loss(spec.learn_noise)).parameters;
  const std::size_t members = reports.size() * static_cast<std::size_t>(spec.networks);
  const Tensor<float>& parameters = state.find(parameters_block, members * count);
  return std::make_unique<FittedDeepEnsemble>(std::move(networks), parameters, std::move(reports), engine);
}

}  // namespace nomu
