#pragma once
// From the specs of a method to the plan that an engine trains: what all network methods have in common.

#include <cstddef>
#include <string_view>
#include <vector>

#include "engine/plan.hpp"
#include "models/network/output_map.hpp"
#include "nomu/data/cohort.hpp"

namespace nomu {

/// Throws ConfigError from `where` for impossible layers.
[[nodiscard]] engine::Net net_of(const MlpSpec& spec, std::string_view where);

/// For methods that only handle dense layers: throws ConfigError from `where` if there are convolutions.
void refuse_convolutions(const MlpSpec& spec, std::string_view where);

/// Optimiser, rows and seeds; networks and loss are left to the method.
[[nodiscard]] engine::TrainPlan plan_of(const TrainSpec& train, Cohort cohort);

/// One network for the mean, or for mean and noise, per member.
struct RegressionNet {
  const MlpSpec& net;
  const TrainSpec& train;
  bool learn_noise = false;
  double dropout = 0.0;
  std::vector<double> dropout_layers = {};  ///< for each convolution and hidden layer; empty: `dropout` in all
  double l2 =
      0.0;  ///< relative to summed errors: l2 (1 - dropout) / n times the penalty is added to the mean over n rows
};

[[nodiscard]] engine::Networks regression_networks(const RegressionNet& spec, std::size_t inputs,
                                                   std::string_view where);

/// Mean squared error or, with learned noise, mean Gaussian negative log-likelihood, plus the L2 penalty.
[[nodiscard]] engine::TrainPlan regression_plan(const RegressionNet& spec, const Cohort& cohort,
                                                std::string_view where);

[[nodiscard]] LossKind regression_loss(bool learn_noise);

/// Smallest standard deviation that a second output can represent.
inline constexpr float regression_noise_floor = 1e-6F;

/// One output for the mean and, with learned noise, a second one for the noise.
[[nodiscard]] OutputMap regression_outputs(bool learn_noise);

/// Sum of a member's row weights: its n.
[[nodiscard]] double weight_of(const Cohort& cohort, std::size_t member);

}  // namespace nomu
