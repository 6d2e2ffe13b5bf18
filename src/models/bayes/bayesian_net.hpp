#pragma once
// A network trained as usual and then given a Bayesian treatment that is linear in its parameters, or in those of its
// head: what linearised Laplace and the neural linear model have in common.

#include <memory>
#include <string_view>
#include <vector>

#include "models/network/network_plan.hpp"
#include "nomu/core/progress.hpp"
#include "nomu/engine/engine.hpp"
#include "nomu/models/fitted.hpp"

namespace nomu {

struct BayesianNet {
  RegressionNet net;
  bool whole_network;  ///< all parameters are uncertain; false: those of the head
  bool new_head;       ///< the posterior mean of the head replaces the trained one
  std::string_view where;
};

/// Throws ConfigError where the parameters in question are more than `most_uncertain`.
[[nodiscard]] std::unique_ptr<FittedCohort> fit_bayesian_net(const BayesianNet& spec, const Cohort& cohort,
                                                             Engine& engine, const Progress& progress);

[[nodiscard]] std::unique_ptr<FittedCohort> restore_bayesian_net(const BayesianNet& spec, const FittedState& state,
                                                                 std::vector<FitReport> reports, Engine& engine);

/// The work grows with the third power of their number, the memory with the second.
inline constexpr std::size_t most_uncertain = 2500;

}  // namespace nomu
