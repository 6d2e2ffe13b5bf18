#include "nomu/models/ann.hpp"

#include <utility>

#include "engine/backend.hpp"
#include "engine/layout.hpp"
#include "engine/session.hpp"
#include "models/network/network_plan.hpp"
#include "models/network/train.hpp"

namespace nomu {
namespace {

constexpr const char* where = "models/ann";
constexpr const char* parameters_block = "parameters";

RegressionNet net_of(const AnnSpec& spec) {
  return {.net = spec.net, .train = spec.train, .learn_noise = true, .l2 = spec.l2};
}

class FittedAnn final : public FittedCohort {
 public:
  FittedAnn(engine::Networks networks, Trained trained, Engine& engine)
      : networks_(std::move(networks)), trained_(std::move(trained)), engine_(engine) {}

  [[nodiscard]] std::size_t members() const override { return trained_.parameters.members(); }

  [[nodiscard]] Prediction predict(const Tensor<float>& x) const override {
    const Tensor<float> outputs = engine::backend(engine_).predict(networks_, trained_.parameters, x, {}, {});
    const Tensor<float> blank(members(), x.rows(), 1);
    Prediction prediction{.mean = blank, .sigma_model = blank, .sigma_noise = {}, .sigma_below = {}};
    for (std::size_t m = 0; m < members(); ++m) {
      for (std::size_t i = 0; i < x.rows(); ++i) {
        prediction.mean(m, i, 0) = outputs(m, i, 0);
        prediction.sigma_model(m, i, 0) = static_cast<float>(noise_of(outputs(m, i, 1)));
      }
    }
    return prediction;
  }

  [[nodiscard]] const std::vector<FitReport>& reports() const override { return trained_.reports; }

  [[nodiscard]] FittedState state() const override {
    return {.inputs = networks_.inputs, .blocks = {{parameters_block, trained_.parameters}}};
  }

 private:
  engine::Networks networks_;
  Trained trained_;
  Engine& engine_;
};

}  // namespace

Fields fields_of(AnnSpec& spec) {
  Fields f(where);
  f.add("l2", spec.l2, Range::at_least(0.0), "L2 penalty, over n beside the mean log-likelihood");
  f.add_nested("net", fields_of(spec.net));
  f.add_nested("train", fields_of(spec.train));
  return f;
}

std::unique_ptr<FittedCohort> fit(const AnnSpec& spec, const Cohort& cohort, Engine& engine, const Progress& progress) {
  engine::TrainPlan plan = regression_plan(net_of(spec), cohort, where);
  Trained trained = train(plan, engine, progress);
  return std::make_unique<FittedAnn>(std::move(plan.networks), std::move(trained), engine);
}

std::unique_ptr<FittedCohort> restore(const AnnSpec& spec, const FittedState& state, std::vector<FitReport> reports,
                                      Engine& engine) {
  engine::Networks networks = regression_networks(net_of(spec), state.inputs, where);
  const std::size_t count = engine::make_layout(networks, regression_loss(true)).parameters;
  const Tensor<float>& parameters = state.find(parameters_block, reports.size() * count);
  return std::make_unique<FittedAnn>(std::move(networks), Trained{parameters, std::move(reports)}, engine);
}

}  // namespace nomu
