#include "nomu/models/mc_dropout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/backend.hpp"
#include "engine/layout.hpp"
#include "engine/predictor.hpp"
#include "engine/session.hpp"
#include "models/network/automatic.hpp"
#include "models/network/mixture.hpp"
#include "models/network/network_plan.hpp"
#include "models/network/thinned.hpp"
#include "models/network/train.hpp"
#include "nomu/core/error.hpp"
#include "nomu/models/fixed_masks.hpp"

namespace nomu {
namespace {

constexpr const char* where = "models/mc_dropout";
constexpr const char* parameters_block = "parameters";
constexpr const char* noise_block = "noise";

RegressionNet net_of(const McDropoutSpec& spec) {
  if (!(spec.dropout > 0.0 && spec.dropout < 1.0))
    throw ConfigError(where, fmt::format("dropout must lie between 0 and 1, got {}", spec.dropout));
  if (spec.passes < 2) throw ConfigError(where, fmt::format("a spread needs at least 2 passes, got {}", spec.passes));
  return {.net = spec.net,
          .train = spec.train,
          .learn_noise = spec.learn_noise && spec.noise_head,
          .dropout = spec.dropout,
          .l2 = spec.l2};
}

bool one_noise(const McDropoutSpec& spec) { return spec.learn_noise && !spec.noise_head; }

/// How far the networks without dropout are from their rows, root mean square, [M][1][1].
Tensor<float> missed_by(const engine::Networks& networks, const Tensor<float>& parameters, const Cohort& cohort,
                        Engine& engine) {
  const Tensor<float> outputs = engine::backend(engine).predict(networks, parameters, cohort.x, {}, {});
  Tensor<float> noise(cohort.members(), 1, 1);
  for (std::size_t m = 0; m < cohort.members(); ++m) {
    double squares = 0.0;
    for (std::size_t i = 0; i < cohort.rows(); ++i) {
      const double weight = cohort.row_weight.empty() ? 1.0 : static_cast<double>(cohort.row_weight(m, i, 0));
      const auto error = static_cast<double>(outputs(m, i, 0) - cohort.y(m, i, 0));
      squares += weight * error * error;
    }
    noise(m, 0, 0) = static_cast<float>(std::sqrt(squares / weight_of(cohort, m)));
  }
  return noise;
}

/// Numbers of all members and passes that are in memory at a time.
constexpr std::size_t most_numbers = std::size_t{1} << 26U;

class FittedMcDropout final : public FittedCohort {
 public:
  /// `noise` [M][1][1] is the one of all rows; empty where there is none or the networks tell it row by row.
  /// With `fixed` masks a pass is the same network for every row.
  FittedMcDropout(engine::Networks networks, std::int64_t passes, bool fixed, Trained trained, Tensor<float> noise,
                  Engine& engine)
      : networks_(std::move(networks)),
        passes_(static_cast<std::uint32_t>(passes)),
        fixed_(fixed),
        trained_(std::move(trained)),
        noise_(std::move(noise)),
        engine_(engine) {
    for (const FitReport& report : trained_.reports) seeds_.push_back(report.seed);
  }

  [[nodiscard]] std::size_t members() const override { return trained_.parameters.members(); }

  [[nodiscard]] Prediction predict(const Tensor<float>& x) const override {
    Mixture mixture(members(), x.rows());
    if (fixed_) {
      add_thinned(x, mixture);
    } else {
      add_passes(x, mixture);
    }
    Prediction prediction = mixture.prediction();
    if (noise_.empty()) return prediction;
    prediction.sigma_noise = Tensor<float>(members(), x.rows(), 1);
    for (std::size_t m = 0; m < members(); ++m) std::ranges::fill(prediction.sigma_noise.member(m), noise_(m, 0, 0));
    return prediction;
  }

  [[nodiscard]] const std::vector<FitReport>& reports() const override { return trained_.reports; }

  [[nodiscard]] FittedState state() const override {
    FittedState state{.inputs = networks_.inputs, .blocks = {{parameters_block, trained_.parameters}}};
    if (!noise_.empty()) state.blocks.push_back({noise_block, noise_});
    return state;
  }

 private:
  /// So many passes that what they take, `size` numbers each, stays below half a gigabyte; one at least.
  [[nodiscard]] std::uint32_t passes_at_once(std::uint32_t done, std::size_t size) const {
    const std::size_t most = std::max<std::size_t>(most_numbers / std::max<std::size_t>(size, 1), 1);
    return static_cast<std::uint32_t>(std::min<std::size_t>(most, passes_ - done));
  }

  void add_passes(const Tensor<float>& x, Mixture& mixture) const {
    // Passes share a call, so that the parameters reach the device once.
    for (std::uint32_t pass = 0; pass < passes_;) {
      const std::uint32_t count = passes_at_once(pass, members() * x.rows());
      const Tensor<float> outputs = predictions_(engine_, networks_, trained_.parameters, x,
                                                 {.active = true, .pass = pass, .passes = count}, seeds_);
      const std::size_t size = x.rows() * outputs.cols();
      for (std::uint32_t p = 0; p < count; ++p) {
        for (std::size_t m = 0; m < members(); ++m) mixture.add(m, outputs.member(m).subspan(p * size, size));
      }
      pass += count;
    }
  }

  void add_thinned(const Tensor<float>& x, Mixture& mixture) const {
    const engine::Networks plain = without_dropout(networks_);
    for (std::size_t m = 0; m < members(); ++m) {
      Tensor<float> mine(1, x.rows(), x.cols());
      std::ranges::copy(x.member(x.members() == 1 ? 0 : m), mine.flat().begin());
      for (std::uint32_t pass = 0; pass < passes_;) {
        const std::uint32_t count = passes_at_once(pass, x.rows() + trained_.parameters.cols());
        const Tensor<float> thinned = thinned_parameters(networks_, m, trained_.parameters, seeds_[m], pass, count);
        const Tensor<float> outputs = engine::backend(engine_).predict(plain, thinned, mine, {}, {});
        for (std::uint32_t p = 0; p < count; ++p) mixture.add(m, outputs.member(p));
        pass += count;
      }
    }
  }

  engine::Networks networks_;
  std::uint32_t passes_;
  bool fixed_;
  Trained trained_;
  Tensor<float> noise_;
  Engine& engine_;
  mutable engine::RepeatedPredictions predictions_;
  std::vector<std::uint64_t> seeds_;
};

}  // namespace

McDropoutSpec McDropoutSpec::published() {
  McDropoutSpec spec;
  spec.net = {.hidden = {1024, 2048, 1024}};
  spec.train = {.clip_norm = 1000.0, .snapshot = Snapshot::none};
  spec.l2 = 1e-8;
  spec.dropout = 0.2;
  return spec;
}

McDropoutSpec resolved(const McDropoutSpec& given, std::size_t rows, std::size_t /*cols*/) {
  McDropoutSpec spec = given;
  resolve_regression(spec.net, spec.learn_noise);
  resolve(spec.train, rows);
  resolve_penalty(spec.l2, spec.learn_noise && spec.noise_head);
  if (spec.dropout == 0.0) spec.dropout = 0.05;
  return spec;
}

Fields fields_of(McDropoutSpec& spec) {
  Fields f(where);
  f.add("dropout", spec.dropout, Range::between(0.0, 0.999), "share of the units that a pass leaves out; 0: chosen");
  f.add("passes", spec.passes, Range::at_least(2), "stochastic passes of a prediction");
  f.add("l2", spec.l2, Range::at_least(-1.0),
        "L2 penalty, times (1 - dropout) / n beside the mean loss; negative: chosen");
  f.add("learn_noise", spec.learn_noise, "the data noise is predicted too");
  f.add("noise_head", spec.noise_head, "learned noise is a second output, trained by likelihood; else one number");
  f.add_nested("net", fields_of(spec.net));
  f.add_nested("train", fields_of(spec.train));
  return f;
}

std::unique_ptr<FittedCohort> fit(const McDropoutSpec& given, const Cohort& cohort, Engine& engine,
                                  const Progress& progress) {
  const McDropoutSpec spec = resolved(given, cohort.rows(), cohort.cols());
  engine::TrainPlan plan = regression_plan(net_of(spec), cohort, where);
  Trained trained = train(plan, engine, progress);
  Tensor<float> noise =
      one_noise(spec) ? missed_by(plan.networks, trained.parameters, cohort, engine) : Tensor<float>();
  return std::make_unique<FittedMcDropout>(std::move(plan.networks), spec.passes, false, std::move(trained),
                                           std::move(noise), engine);
}

namespace {

std::unique_ptr<FittedCohort> put_together(const McDropoutSpec& given, const FittedState& state,
                                           std::vector<FitReport> reports, bool fixed, Engine& engine) {
  const McDropoutSpec spec = resolved(given, 1, state.inputs);  // the layers do not depend on the rows
  engine::Networks networks = regression_networks(net_of(spec), state.inputs, where);
  const std::size_t count =
      engine::make_layout(networks, regression_loss(spec.learn_noise && spec.noise_head)).parameters;
  const Tensor<float>& parameters = state.find(parameters_block, reports.size() * count);
  Tensor<float> noise = one_noise(spec) ? state.find(noise_block, reports.size()) : Tensor<float>();
  return std::make_unique<FittedMcDropout>(std::move(networks), spec.passes, fixed,
                                           Trained{parameters, std::move(reports)}, std::move(noise), engine);
}

}  // namespace

std::unique_ptr<FittedCohort> restore(const McDropoutSpec& spec, const FittedState& state,
                                      std::vector<FitReport> reports, Engine& engine) {
  return put_together(spec, state, std::move(reports), false, engine);
}

std::unique_ptr<FittedCohort> with_fixed_masks(const McDropoutSpec& spec, const FittedCohort& fitted, Engine& engine) {
  return put_together(spec, fitted.state(), fitted.reports(), true, engine);
}

}  // namespace nomu
