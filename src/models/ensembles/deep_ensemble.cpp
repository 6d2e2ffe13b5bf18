#include "nomu/models/deep_ensemble.hpp"

#include <fmt/format.h>

#include <utility>

#include "models/network/automatic.hpp"
#include "models/network/ensemble.hpp"
#include "models/network/fitted_network.hpp"
#include "models/network/methods.hpp"
#include "models/network/network_plan.hpp"
#include "models/network/train.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr const char* where = "models/deep_ensemble";

RegressionNet ensemble_net(const DeepEnsembleSpec& spec) {
  if (spec.networks < 1)
    throw ConfigError(where, fmt::format("an ensemble needs at least one network, got {}", spec.networks));
  return {.net = spec.net, .train = spec.train, .learn_noise = spec.learn_noise, .l2 = spec.l2};
}

NetworkDesign design_of(const DeepEnsembleSpec& spec, std::size_t inputs) {
  return {.networks = regression_networks(ensemble_net(spec), inputs, where),
          .loss = regression_loss(spec.learn_noise),
          .per_member = static_cast<std::size_t>(spec.networks),
          .outputs = regression_outputs(spec.learn_noise)};
}

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
  f.add("networks", spec.networks, Range::between(1, 1e6), "number of networks in the ensemble");
  f.add("l2", spec.l2, Range::at_least(-1.0),
        "L2 penalty, divided by n and added to the mean loss; negative: automatic");
  f.add("learn_noise", spec.learn_noise, "a second output for the data noise, trained by likelihood");
  f.add_nested("net", fields_of(spec.net));
  f.add_nested("train", fields_of(spec.train));
  return f;
}

FittedPointer fit_cohort(const DeepEnsembleSpec& spec, const Cohort& cohort, Engine& engine, const Progress& progress) {
  const RegressionNet net = ensemble_net(spec);
  const auto count = static_cast<std::size_t>(spec.networks);
  Trained trained = train(regression_plan(net, repeat_members(cohort, count), where), engine, progress);
  return std::make_unique<FittedNetwork>(
      design_of(spec, cohort.cols()),
      NetworkParts{std::move(trained.parameters), equal_weights(cohort.members(), count)},
      merged(std::move(trained.reports), cohort.seeds), engine);
}

FittedPointer restore_cohort(const DeepEnsembleSpec& spec, const FittedState& state, FitReports reports,
                             Engine& engine) {
  return restore_network(design_of(spec, state.inputs), state, std::move(reports), engine);
}

}  // namespace nomu
