#include "nomu/models/laplace.hpp"

#include <algorithm>
#include <utility>

#include "models/bayes/bayesian_net.hpp"
#include "models/network/automatic.hpp"

namespace nomu {
namespace {

constexpr const char* where = "models/laplace";

std::size_t parameters_of(const MlpSpec& net, std::size_t inputs) {
  std::size_t count = 0;
  std::size_t before = inputs;
  for (const std::int64_t units : net.hidden) {
    const auto here = static_cast<std::size_t>(std::max<std::int64_t>(units, 0));
    count += (before + 1) * here;
    before = here;
  }
  return count + before + 1;
}

BayesianNet laplace_net(const LaplaceSpec& spec) {
  return {.net = {.net = spec.net, .train = spec.train, .l2 = spec.l2},
          .whole_network = spec.weights == LaplaceSpec::Weights::full,
          .new_head = false,
          .origin = where};
}

}  // namespace

Fields fields_of(LaplaceSpec& spec) {
  Fields f(where);
  f.add_choice("weights", spec.weights, {"auto", "full", "last_layer"}, "which parameters are uncertain");
  f.add("l2", spec.l2, Range::at_least(0.0), "L2 penalty, divided by n and added to the mean squared error");
  f.add_nested("net", fields_of(spec.net));
  f.add_nested("train", fields_of(spec.train));
  return f;
}

LaplaceSpec resolved(const LaplaceSpec& given, std::size_t rows, std::size_t cols) {
  LaplaceSpec spec = given;
  resolve(spec.train, rows);
  if (spec.weights == LaplaceSpec::Weights::automatic) {
    const bool fits = parameters_of(spec.net, cols) <= most_uncertain;
    spec.weights = fits ? LaplaceSpec::Weights::full : LaplaceSpec::Weights::last_layer;
  }
  return spec;
}

FittedPointer fit_cohort(const LaplaceSpec& spec, const Cohort& cohort, Engine& engine, const Progress& progress) {
  return fit_bayesian_net(laplace_net(spec), cohort, engine, progress);
}

FittedPointer restore_cohort(const LaplaceSpec& spec, const FittedState& state, FitReports reports, Engine& engine) {
  return restore_bayesian_net(laplace_net(spec), state, std::move(reports), engine);
}

}  // namespace nomu
