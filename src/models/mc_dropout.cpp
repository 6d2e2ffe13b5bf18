#include "nomu/models/mc_dropout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/layout.hpp"
#include "engine/session.hpp"
#include "models/mixture.hpp"
#include "models/network_plan.hpp"
#include "models/train.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr const char* where = "models/mc_dropout";
constexpr const char* parameters_block = "parameters";

RegressionNet net_of(const McDropoutSpec& spec) {
  if (!(spec.dropout > 0.0 && spec.dropout < 1.0))
    throw ConfigError(where, fmt::format("dropout must lie between 0 and 1, got {}", spec.dropout));
  if (spec.passes < 2) throw ConfigError(where, fmt::format("a spread needs at least 2 passes, got {}", spec.passes));
  return {
      .net = spec.net, .train = spec.train, .learn_noise = spec.learn_noise, .dropout = spec.dropout, .l2 = spec.l2};
}

/// Rows of outputs of all members and passes that are predicted at a time.
constexpr std::size_t most_outputs = std::size_t{1} << 26U;

class FittedMcDropout final : public FittedCohort {
 public:
  FittedMcDropout(engine::Networks networks, std::int64_t passes, Trained trained, Engine& engine)
      : networks_(std::move(networks)),
        passes_(static_cast<std::uint32_t>(passes)),
        trained_(std::move(trained)),
        engine_(engine) {
    for (const FitReport& report : trained_.reports) seeds_.push_back(report.seed);
  }

  [[nodiscard]] std::size_t members() const override { return trained_.parameters.members(); }

  [[nodiscard]] Prediction predict(const Tensor<float>& x) const override {
    Mixture mixture(members(), x.rows());
    // Passes share a call, so that the parameters reach the device once; their outputs stay below half a gigabyte.
    const std::size_t most = std::max<std::size_t>(most_outputs / std::max<std::size_t>(members() * x.rows(), 1), 1);
    for (std::uint32_t pass = 0; pass < passes_;) {
      const auto count = static_cast<std::uint32_t>(std::min<std::size_t>(most, passes_ - pass));
      const Tensor<float> outputs =
          engine_.predict(networks_, trained_.parameters, x, {.active = true, .pass = pass, .passes = count}, seeds_);
      const std::size_t size = x.rows() * outputs.cols();
      for (std::uint32_t p = 0; p < count; ++p) {
        for (std::size_t m = 0; m < members(); ++m) mixture.add(m, outputs.member(m).subspan(p * size, size));
      }
      pass += count;
    }
    return mixture.prediction();
  }

  [[nodiscard]] const std::vector<FitReport>& reports() const override { return trained_.reports; }

  [[nodiscard]] FittedState state() const override {
    return {.inputs = networks_.inputs, .blocks = {{parameters_block, trained_.parameters}}};
  }

 private:
  engine::Networks networks_;
  std::uint32_t passes_;
  Trained trained_;
  Engine& engine_;
  std::vector<std::uint64_t> seeds_;
};

}  // namespace

McDropoutSpec McDropoutSpec::published() {
  McDropoutSpec spec;
  spec.train.clip_norm = 1000.0;
  return spec;
}

Fields fields_of(McDropoutSpec& spec) {
  Fields f(where);
  f.add("dropout", spec.dropout, Range::between(0.0, 0.999), "share of the units that a pass leaves out");
  f.add("passes", spec.passes, Range::at_least(2), "stochastic passes of a prediction");
  f.add("l2", spec.l2, Range::at_least(0.0), "L2 penalty, times (1 - dropout) / n beside the mean squared error");
  f.add("learn_noise", spec.learn_noise, "a second output for the data noise, trained by likelihood");
  f.add_nested("net", fields_of(spec.net));
  f.add_nested("train", fields_of(spec.train));
  return f;
}

std::unique_ptr<FittedCohort> fit(const McDropoutSpec& spec, const Cohort& cohort, Engine& engine,
                                  const Progress& progress) {
  engine::TrainPlan plan = regression_plan(net_of(spec), cohort, where);
  Trained trained = train(plan, engine, progress);
  return std::make_unique<FittedMcDropout>(std::move(plan.networks), spec.passes, std::move(trained), engine);
}

std::unique_ptr<FittedCohort> restore(const McDropoutSpec& spec, const FittedState& state,
                                      std::vector<FitReport> reports, Engine& engine) {
  engine::Networks networks = regression_networks(net_of(spec), state.inputs, where);
  const std::size_t count = engine::make_layout(networks, regression_loss(spec.learn_noise)).parameters;
  const Tensor<float>& parameters = state.find(parameters_block, reports.size() * count);
  return std::make_unique<FittedMcDropout>(std::move(networks), spec.passes, Trained{parameters, std::move(reports)},
                                           engine);
}

}  // namespace nomu
