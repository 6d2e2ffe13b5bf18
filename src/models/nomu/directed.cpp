#include "nomu/models/directed.hpp"

#include <utility>

#include "models/network/automatic.hpp"
#include "models/network/fitted_network.hpp"
#include "models/network/methods.hpp"
#include "models/network/network_plan.hpp"
#include "models/network/train.hpp"
#include "models/nomu/artificial_points.hpp"
#include "models/nomu/nomu_plan.hpp"

namespace nomu {
namespace {

constexpr const char* where = "models/directed";

LossKind loss_of(Sides sides) {
  switch (sides) {
    case Sides::upper: return LossKind::directed_upper;
    case Sides::lower: return LossKind::directed_lower;
    case Sides::both: break;
  }
  return LossKind::directed;
}

OutputMap::Sigma sigma_of(Sides sides) {
  switch (sides) {
    case Sides::upper: return OutputMap::Sigma::above;
    case Sides::lower: return OutputMap::Sigma::below;
    case Sides::both: break;
  }
  return OutputMap::Sigma::directed;
}

/// Outputs are f and upper, lower or both; no links (Figure 10 of the paper).
engine::Networks directed_networks(const DirectedSpec& spec, std::size_t inputs) {
  check(spec.readout);
  const engine::Net bound = net_of(spec.bound_net, where);
  engine::Networks networks{.inputs = inputs, .nets = {net_of(spec.mean_net, where), bound}};
  if (spec.sides == Sides::both) networks.nets.push_back(bound);
  for (std::size_t k = 0; k < networks.nets.size(); ++k) {
    engine::Net& net = networks.nets[k];
    net.l2_hidden = net.l2_output = static_cast<float>(k == 0 ? spec.l2 : spec.l2_bound);
  }
  return networks;
}

engine::TrainPlan directed_plan(const DirectedSpec& spec, const Cohort& cohort) {
  engine::TrainPlan plan = plan_of(spec.train, cohort);
  plan.networks = directed_networks(spec, cohort.cols());
  plan.loss.kind = loss_of(spec.sides);
  plan.loss.around_mean = spec.lift == Lift::from_mean;
  plan.loss.mu_sqr = static_cast<float>(spec.mu_sqr);
  plan.loss.mu_exp = static_cast<float>(spec.mu_exp);
  plan.loss.c_exp = static_cast<float>(spec.c_exp);
  plan.augment = artificial_points(spec.augment, cohort);
  return plan;
}

NetworkDesign directed_design(const DirectedSpec& spec, std::size_t inputs) {
  return {.networks = directed_networks(spec, inputs),
          .loss = loss_of(spec.sides),
          .outputs = {.sigma = sigma_of(spec.sides), .readout = spec.readout}};
}

}  // namespace

Fields fields_of(DirectedSpec& spec) {
  Fields f(where);
  f.add("mu_sqr", spec.mu_sqr, Range::at_least(0.0),
        "weight of term (b'): how strongly the bounds are pinned to the data");
  f.add("mu_exp", spec.mu_exp, Range::at_least(0.0), "weight of term (c'): how strongly the bounds are pushed apart");
  f.add("c_exp", spec.c_exp, Range::positive(), "exponent of term (c'): how strongly small distances are penalised");
  f.add_choice("sides", spec.sides, {"both", "upper", "lower"},
               "which bounds are learned; with one of them the other side is as wide");
  f.added_later("sides", std::string("both"));
  f.add_choice("lift", spec.lift, {"from_mean", "as_printed"},
               "what term (c') pushes: distances to the mean, or the bounds themselves, with a c_exp of about 1");
  f.added_later("lift", std::string("from_mean"));
  f.add("l2", spec.l2, Range::at_least(0.0), "L2 penalty on the mean network");
  f.add("l2_bound", spec.l2_bound, Range::at_least(0.0), "L2 penalty on the bound networks");
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

FittedPointer fit_cohort(const DirectedSpec& spec, const Cohort& cohort, Engine& engine, const Progress& progress) {
  Trained trained = train(directed_plan(spec, cohort), engine, progress);
  return std::make_unique<FittedNetwork>(
      directed_design(spec, cohort.cols()),
      NetworkParts{std::move(trained.parameters), equal_weights(cohort.members(), 1)}, std::move(trained.reports),
      engine);
}

FittedPointer restore_cohort(const DirectedSpec& spec, const FittedState& state, FitReports reports, Engine& engine) {
  return restore_network(directed_design(spec, state.inputs), state, std::move(reports), engine);
}

}  // namespace nomu
