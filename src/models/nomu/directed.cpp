#include "nomu/models/directed.hpp"

#include <utility>

#include "engine/backend.hpp"
#include "engine/layout.hpp"
#include "engine/session.hpp"
#include "models/network/automatic.hpp"
#include "models/network/network_plan.hpp"
#include "models/network/train.hpp"
#include "models/nomu/artificial_points.hpp"
#include "models/nomu/directed_plan.hpp"
#include "models/nomu/nomu_plan.hpp"

namespace nomu {
namespace {

constexpr const char* where = "models/directed";
constexpr const char* parameters_block = "parameters";
constexpr const char* rows_block = "rows";

engine::TrainPlan directed_plan(const DirectedSpec& spec, const Cohort& cohort) {
  engine::TrainPlan plan = plan_of(spec.train, cohort);
  plan.networks = directed_networks(spec, cohort.cols());
  plan.loss.kind = LossKind::directed;
  plan.loss.mu_sqr = static_cast<float>(spec.mu_sqr);
  plan.loss.mu_exp = static_cast<float>(spec.mu_exp);
  plan.loss.c_exp = static_cast<float>(spec.c_exp);
  plan.augment = artificial_points(spec.augment, cohort);
  return plan;
}

class FittedDirected final : public FittedCohort {
 public:
  FittedDirected(const DirectedSpec& spec, std::size_t rows, engine::Networks networks, Trained trained, Engine& engine)
      : readout_(spec.readout),
        rows_(rows),
        networks_(std::move(networks)),
        trained_(std::move(trained)),
        engine_(engine) {}

  [[nodiscard]] std::size_t members() const override { return trained_.reports.size(); }

  [[nodiscard]] Prediction predict(const Tensor<float>& x) const override {
    const Tensor<float> outputs = engine::backend(engine_).predict(networks_, trained_.parameters, x, {}, {});
    const Tensor<float> blank(members(), x.rows(), 1);
    Prediction prediction{.mean = blank, .sigma_model = blank, .sigma_noise = {}, .sigma_below = blank};
    for (std::size_t m = 0; m < members(); ++m) {
      for (std::size_t i = 0; i < x.rows(); ++i) {
        const auto mean = static_cast<double>(outputs(m, i, 0));
        const auto upper = static_cast<double>(outputs(m, i, 1));
        const auto lower = static_cast<double>(outputs(m, i, 2));
        prediction.mean(m, i, 0) = outputs(m, i, 0);
        prediction.sigma_model(m, i, 0) = static_cast<float>(readout_(upper - mean));
        prediction.sigma_below(m, i, 0) = static_cast<float>(readout_(mean - lower));
      }
    }
    return prediction;
  }

  [[nodiscard]] const std::vector<FitReport>& reports() const override { return trained_.reports; }

  [[nodiscard]] FittedState state() const override {
    return {.inputs = networks_.inputs,
            .blocks = {{parameters_block, trained_.parameters},
                       {rows_block, Tensor<float>(1, 1, 1, static_cast<float>(rows_))}}};
  }

 private:
  Readout readout_;
  std::size_t rows_;
  engine::Networks networks_;
  Trained trained_;
  Engine& engine_;
};

}  // namespace

engine::Networks directed_networks(const DirectedSpec& spec, std::size_t inputs) {
  const engine::Net bound = net_of(spec.bound_net, where);
  engine::Networks networks{.inputs = inputs, .nets = {net_of(spec.mean_net, where), bound, bound}};
  for (std::size_t k = 0; k < networks.nets.size(); ++k) {
    engine::Net& net = networks.nets[k];
    net.l2_hidden = net.l2_output = static_cast<float>(k == 0 ? spec.l2 : spec.l2_bound);
  }
  return networks;
}

Fields fields_of(DirectedSpec& spec) {
  Fields f(where);
  f.add("mu_sqr", spec.mu_sqr, Range::at_least(0.0), "weight of term (b'): how hard the bounds are pinned to the data");
  f.add("mu_exp", spec.mu_exp, Range::at_least(0.0), "weight of term (c'): how hard the bounds are pushed apart");
  f.add("c_exp", spec.c_exp, Range::positive(), "exponent of term (c'): how much small distances are favoured");
  f.add("l2", spec.l2, Range::at_least(0.0), "L2 penalty on the mean network");
  f.add("l2_bound", spec.l2_bound, Range::at_least(0.0), "L2 penalty on the networks of the bounds");
  f.add_nested("augment", fields_of(spec.augment));
  f.add_nested("readout", fields_of(spec.readout));
  f.add_nested("mean_net", fields_of(spec.mean_net));
  f.add_nested("bound_net", fields_of(spec.bound_net));
  f.add_nested("train", fields_of(spec.train));
  return f;
}

DirectedSpec resolved(const DirectedSpec& given, std::size_t rows, std::size_t cols) {
  DirectedSpec spec = given;
  resolve(spec.mean_net);
  resolve(spec.bound_net);
  resolve(spec.train, rows);
  resolve(spec.augment, cols);
  return spec;
}

std::unique_ptr<FittedCohort> fit(const DirectedSpec& given, const Cohort& cohort, Engine& engine,
                                  const Progress& progress) {
  const DirectedSpec spec = resolved(given, cohort.rows(), cohort.cols());
  engine::TrainPlan plan = directed_plan(spec, cohort);
  Trained trained = train(plan, engine, progress);
  return std::make_unique<FittedDirected>(spec, cohort.rows(), std::move(plan.networks), std::move(trained), engine);
}

std::unique_ptr<FittedCohort> restore(const DirectedSpec& given, const FittedState& state,
                                      std::vector<FitReport> reports, Engine& engine) {
  const std::size_t rows = state.count(rows_block);
  const DirectedSpec spec = resolved(given, rows, state.inputs);
  engine::Networks networks = directed_networks(spec, state.inputs);
  const std::size_t count = engine::make_layout(networks, LossKind::directed).parameters;
  const Tensor<float>& parameters = state.find(parameters_block, reports.size() * count);
  return std::make_unique<FittedDirected>(spec, rows, std::move(networks), Trained{parameters, std::move(reports)},
                                          engine);
}

}  // namespace nomu
