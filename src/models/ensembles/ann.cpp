#include "nomu/models/ann.hpp"

#include <utility>

#include "models/network/fitted_network.hpp"
#include "models/network/methods.hpp"
#include "models/network/network_plan.hpp"
#include "models/network/train.hpp"

namespace nomu {
namespace {

constexpr const char* where = "models/ann";

RegressionNet ann_net(const AnnSpec& spec) {
  return {.net = spec.net, .train = spec.train, .learn_noise = true, .l2 = spec.l2};
}

NetworkDesign design_of(const AnnSpec& spec, std::size_t inputs) {
  return {.networks = regression_networks(ann_net(spec), inputs, where),
          .loss = regression_loss(true),
          .outputs = {.sigma = OutputMap::Sigma::noise,
                      .noise_floor = static_cast<double>(regression_noise_floor),
                      .noise_in_float = true}};
}

}  // namespace

Fields fields_of(AnnSpec& spec) {
  Fields f(where);
  f.add("l2", spec.l2, Range::at_least(0.0), "L2 penalty, divided by n and added to the mean negative log-likelihood");
  f.add_nested("net", fields_of(spec.net));
  f.add_nested("train", fields_of(spec.train));
  return f;
}

FittedPointer fit_cohort(const AnnSpec& spec, const Cohort& cohort, Engine& engine, const Progress& progress) {
  Trained trained = train(regression_plan(ann_net(spec), cohort, where), engine, progress);
  return std::make_unique<FittedNetwork>(
      design_of(spec, cohort.cols()), NetworkParts{std::move(trained.parameters), equal_weights(cohort.members(), 1)},
      std::move(trained.reports), engine);
}

FittedPointer restore_cohort(const AnnSpec& spec, const FittedState& state, FitReports reports, Engine& engine) {
  return restore_network(design_of(spec, state.inputs), state, std::move(reports), engine);
}

}  // namespace nomu
