#include "nomu/models/laplace.hpp"

#include <utility>

#include "models/bayesian_net.hpp"

namespace nomu {
namespace {

constexpr const char* where = "models/laplace";

BayesianNet net_of(const LaplaceSpec& spec) {
  return {.net = {.net = spec.net, .train = spec.train, .l2 = spec.l2},
          .whole_network = spec.weights == LaplaceSpec::Weights::full,
          .new_head = false,
          .where = where};
}

}  // namespace

Fields fields_of(LaplaceSpec& spec) {
  Fields f(where);
  f.add_choice("weights", spec.weights, {"full", "last_layer"}, "which parameters are uncertain");
  f.add("l2", spec.l2, Range::at_least(0.0), "L2 penalty, over n beside the mean squared error");
  f.add_nested("net", fields_of(spec.net));
  f.add_nested("train", fields_of(spec.train));
  return f;
}

std::unique_ptr<FittedCohort> fit(const LaplaceSpec& spec, const Cohort& cohort, Engine& engine,
                                  const Progress& progress) {
  return fit_bayesian_net(net_of(spec), cohort, engine, progress);
}

std::unique_ptr<FittedCohort> restore(const LaplaceSpec& spec, const FittedState& state, std::vector<FitReport> reports,
                                      Engine& engine) {
  return restore_bayesian_net(net_of(spec), state, std::move(reports), engine);
}

}  // namespace nomu
