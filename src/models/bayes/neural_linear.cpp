#include "nomu/models/neural_linear.hpp"

#include <utility>

#include "models/bayes/bayesian_net.hpp"
#include "models/network/automatic.hpp"

namespace nomu {
namespace {

constexpr const char* where = "models/neural_linear";

BayesianNet neural_linear_net(const NeuralLinearSpec& spec) {
  return {.net = {.net = spec.net, .train = spec.train, .l2 = spec.l2},
          .whole_network = false,
          .new_head = true,
          .origin = where};
}

}  // namespace

Fields fields_of(NeuralLinearSpec& spec) {
  Fields f(where);
  f.add("l2", spec.l2, Range::at_least(0.0), "L2 penalty, divided by n and added to the mean squared error");
  f.add_nested("net", fields_of(spec.net));
  f.add_nested("train", fields_of(spec.train));
  return f;
}

NeuralLinearSpec resolved(const NeuralLinearSpec& given, std::size_t rows, std::size_t /*cols*/) {
  NeuralLinearSpec spec = given;
  resolve(spec.train, rows);
  return spec;
}

FittedPointer fit_cohort(const NeuralLinearSpec& spec, const Cohort& cohort, Engine& engine, const Progress& progress) {
  return fit_bayesian_net(neural_linear_net(spec), cohort, engine, progress);
}

FittedPointer restore_cohort(const NeuralLinearSpec& spec, const FittedState& state, FitReports reports,
                             Engine& engine) {
  return restore_bayesian_net(neural_linear_net(spec), state, std::move(reports), engine);
}

}  // namespace nomu
