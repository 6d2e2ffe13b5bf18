#include "nomu/models/nomu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/layout.hpp"
#include "engine/plan.hpp"
#include "engine/session.hpp"
#include "models/network_plan.hpp"
#include "models/train.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr const char* where = "models/nomu";
constexpr const char* parameters_block = "parameters";

engine::Networks networks_of(const NomuSpec& spec, std::size_t inputs) {
  engine::Networks networks{.inputs = inputs, .nets = {net_of(spec.mean_net, where), net_of(spec.sigma_net, where)}};
  engine::Net& mean = networks.nets[0];
  engine::Net& sigma = networks.nets[1];
  if (mean.hidden.empty())
    throw ConfigError(where, "mean_net.hidden needs at least one layer for the sigma network to read");
  sigma.links = {{.from_net = 0,
                  .from_layer = mean.hidden.size() - 1,
                  .to_layer = sigma.hidden.size(),
                  .gradient = spec.gradient}};
  mean.l2_hidden = mean.l2_output = sigma.l2_output = static_cast<float>(spec.l2);
  sigma.l2_hidden = static_cast<float>(spec.l2_sigma);
  return networks;
}

/// All points of a grid with `per_axis` points an axis, ends included.
Tensor<float> grid_points(std::size_t per_axis, std::size_t d, double reach) {
  std::size_t count = 1;
  for (std::size_t j = 0; j < d; ++j) count *= per_axis;
  Tensor<float> points(1, count, d);
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t rest = i;
    for (std::size_t j = d; j-- > 0; rest /= per_axis) {
      const double share =
          per_axis == 1 ? 0.5 : static_cast<double>(rest % per_axis) / static_cast<double>(per_axis - 1);
      points(0, i, j) = static_cast<float>(reach * (2.0 * share - 1.0));
    }
  }
  return points;
}

engine::Augment augment_of(const Augmentation& spec, std::size_t d) {
  if (spec.count < 1) throw ConfigError(where, fmt::format("augment.count must be positive, got {}", spec.count));
  engine::Augment augment;
  augment.count = static_cast<std::size_t>(spec.count);
  if (spec.kind == Augmentation::Kind::grid) {
    const auto per_axis =
        static_cast<std::size_t>(std::llround(std::pow(static_cast<double>(spec.count), 1.0 / static_cast<double>(d))));
    augment.kind = engine::AugmentKind::fixed;
    augment.points = grid_points(per_axis, d, spec.reach);
    if (augment.points.rows() != augment.count) {
      throw ConfigError(where,
                        fmt::format("a grid of {} points does not fit {} dimensions; {} would, or use uniform points",
                                    spec.count, d, augment.points.rows()));
    }
    return augment;
  }
  const bool uniform = spec.kind == Augmentation::Kind::uniform;
  augment.kind = uniform ? engine::AugmentKind::uniform : engine::AugmentKind::low_discrepancy;
  augment.box = Tensor<float>(1, 2, d, static_cast<float>(spec.reach));
  for (float& low : augment.box.row(0, 0)) low = -low;
  return augment;
}

engine::TrainPlan plan_of(const NomuSpec& spec, const Cohort& cohort) {
  engine::TrainPlan plan = plan_of(spec.train, cohort);
  plan.networks = networks_of(spec, cohort.cols());
  plan.loss.kind = LossKind::nomu;
  plan.loss.stable = spec.stable;
  plan.loss.mu_sqr = static_cast<float>(spec.mu_sqr);
  plan.loss.mu_exp = static_cast<float>(spec.mu_exp);
  plan.loss.c_exp = static_cast<float>(spec.c_exp);
  plan.augment = augment_of(spec.augment, cohort.cols());
  return plan;
}

class FittedNomu final : public FittedCohort {
 public:
  FittedNomu(engine::Networks networks, Readout readout, Trained trained, Engine& engine)
      : networks_(std::move(networks)), readout_(readout), trained_(std::move(trained)), engine_(engine) {}

  [[nodiscard]] std::size_t members() const override { return trained_.parameters.members(); }

  [[nodiscard]] Prediction predict(const Tensor<float>& x) const override {
    const Tensor<float> outputs = engine_.predict(networks_, trained_.parameters, x, {}, {});
    const Tensor<float> blank(members(), x.rows(), 1);
    Prediction prediction{.mean = blank, .sigma_model = blank, .sigma_noise = {}, .sigma_below = {}};
    for (std::size_t m = 0; m < members(); ++m) {
      for (std::size_t i = 0; i < x.rows(); ++i) {
        prediction.mean(m, i, 0) = outputs(m, i, 0);
        prediction.sigma_model(m, i, 0) = static_cast<float>(readout_(static_cast<double>(outputs(m, i, 1))));
      }
    }
    return prediction;
  }

  [[nodiscard]] Tensor<float> raw_sigma(const Tensor<float>& x) const override {
    const Tensor<float> outputs = engine_.predict(networks_, trained_.parameters, x, {}, {});
    Tensor<float> raw(members(), x.rows(), 1);
    for (std::size_t m = 0; m < members(); ++m) {
      for (std::size_t i = 0; i < x.rows(); ++i) raw(m, i, 0) = outputs(m, i, 1);
    }
    return raw;
  }

  [[nodiscard]] const std::vector<FitReport>& reports() const override { return trained_.reports; }

  [[nodiscard]] FittedState state() const override {
    return {.inputs = networks_.inputs, .blocks = {{parameters_block, trained_.parameters}}};
  }

 private:
  engine::Networks networks_;
  Readout readout_;
  Trained trained_;
  Engine& engine_;
};

}  // namespace

double Readout::operator()(double raw) const {
  switch (kind) {
    case Kind::exponential: return sigma_max * -std::expm1(-(std::max(0.0, raw) + sigma_min) / sigma_max);
    case Kind::linearised: return sigma_min + std::max(0.0, raw - sigma_min) - std::max(0.0, raw - sigma_max);
    case Kind::identity: break;
  }
  return std::max(0.0, raw);
}

NomuSpec NomuSpec::published(std::size_t dimension) {
  NomuSpec spec;
  spec.gradient = Gradient::coupled;
  spec.train.clip_norm = 1000.0;
  spec.train.snapshot = Snapshot::after_update;
  spec.augment.kind = dimension == 1 ? Augmentation::Kind::grid : Augmentation::Kind::uniform;
  spec.augment.count = dimension == 1 ? 128 : dimension == 2 ? 256 : 100 * static_cast<std::int64_t>(dimension);
  spec.augment.reach = 1.1;
  return spec;
}

NomuSpec NomuSpec::written(std::size_t dimension) {
  NomuSpec spec = published(dimension);
  spec.gradient = Gradient::stopped;
  spec.train.clip_norm = 0.0;
  spec.train.snapshot = Snapshot::exact;
  spec.augment.kind = Augmentation::Kind::uniform;
  spec.augment.reach = 1.0;
  return spec;
}

Fields fields_of(NomuSpec& spec) {
  Fields f(where);
  f.add("mu_sqr", spec.mu_sqr, Range::at_least(0.0),
        "weight of term (b): how hard sigma is pinned to zero at the data");
  f.add("mu_exp", spec.mu_exp, Range::at_least(0.0), "weight of term (c): how hard sigma is lifted elsewhere");
  f.add("c_exp", spec.c_exp, Range::positive(), "exponent of term (c): how much small sigmas are favoured for lifting");
  f.add("l2", spec.l2, Range::at_least(0.0), "L2 penalty on the mean network and the head of the sigma network");
  f.add("l2_sigma", spec.l2_sigma, Range::at_least(0.0), "L2 penalty on the hidden layers of the sigma network");
  f.add("stable", spec.stable, "bounded slopes in terms (b) and (c)");
  f.add_choice("gradient", spec.gradient, {"coupled", "stopped"}, "whether the sigma loss reaches the mean network");
  f.add_choice("augment.kind", spec.augment.kind, {"uniform", "low_discrepancy", "grid"},
               "how the artificial points are chosen");
  f.add("augment.count", spec.augment.count, Range::at_least(1), "artificial points a step");
  f.add("augment.reach", spec.augment.reach, Range::positive(),
        "the artificial points lie in [-reach, reach]^d of the scaled inputs");
  f.add_choice("readout.kind", spec.readout.kind, {"exponential", "linearised", "identity"},
               "map from the raw output to sigma");
  f.add("readout.sigma_min", spec.readout.sigma_min, Range::at_least(0.0), "about the smallest sigma");
  f.add("readout.sigma_max", spec.readout.sigma_max, Range::positive(), "about the largest sigma");
  f.add_nested("mean_net", fields_of(spec.mean_net));
  f.add_nested("sigma_net", fields_of(spec.sigma_net));
  f.add_nested("train", fields_of(spec.train));
  return f;
}

std::unique_ptr<FittedCohort> fit(const NomuSpec& spec, const Cohort& cohort, Engine& engine,
                                  const Progress& progress) {
  engine::TrainPlan plan = plan_of(spec, cohort);
  Trained trained = train(plan, engine, progress);
  return std::make_unique<FittedNomu>(std::move(plan.networks), spec.readout, std::move(trained), engine);
}

std::unique_ptr<FittedCohort> restore(const NomuSpec& spec, const FittedState& state, std::vector<FitReport> reports,
                                      Engine& engine) {
  engine::Networks networks = networks_of(spec, state.inputs);
  const std::size_t count = engine::make_layout(networks, LossKind::nomu).parameters;
  const Tensor<float>& parameters = state.find(parameters_block, reports.size() * count);
  return std::make_unique<FittedNomu>(std::move(networks), spec.readout, Trained{parameters, std::move(reports)},
                                      engine);
}

}  // namespace nomu
