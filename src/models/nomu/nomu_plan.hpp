#pragma once
// From a NOMU spec to training plans: the networks for each kind of noise, and what is trained in which stage.

#include <cstddef>

#include "engine/plan.hpp"
#include "models/network/fitted_network.hpp"
#include "nomu/core/tensor.hpp"
#include "nomu/data/cohort.hpp"
#include "nomu/models/nomu.hpp"

namespace nomu {

/// The mean network and, if noise is learned, the noise network.
[[nodiscard]] engine::Networks mean_networks(const NomuSpec& spec, std::size_t inputs);

/// Those and the sigma network, linked to the mean. The outputs are f, noise (if learned), r.
[[nodiscard]] engine::Networks nomu_networks(const NomuSpec& spec, std::size_t inputs);

[[nodiscard]] LossKind nomu_loss(Noise noise);

/// What a fitted member consists of.
[[nodiscard]] NetworkDesign design_of(const NomuSpec& spec, std::size_t inputs);

/// Number of parameters that come before those of sigma, the last network.
[[nodiscard]] std::size_t mean_size(const NetworkDesign& design);

/// Rows, artificial points and the sigma terms of the loss; networks and their start are left to the caller.
[[nodiscard]] engine::TrainPlan sigma_loss_plan(const NomuSpec& spec, Cohort cohort);

/// All networks at once: Definition 3.1, or the losses of Appendix C.1.
[[nodiscard]] engine::TrainPlan joint_plan(const NomuSpec& spec, Cohort cohort);

/// First stage: the mean and, if learned, the noise.
[[nodiscard]] engine::TrainPlan mean_plan(const NomuSpec& spec, Cohort cohort);

/// Second stage: sigma, with the other networks frozen at the first parameters of each member of `mean` [M][1][P],
/// where P is at least their number.
[[nodiscard]] engine::TrainPlan sigma_plan(const NomuSpec& spec, Cohort cohort, const Tensor<float>& mean);

/// Starting parameters [M][1][P] drawn from the seeds, with the first `count` replaced by those of `front`.
[[nodiscard]] Tensor<float> start_behind(const engine::TrainPlan& plan, const Tensor<float>& front, std::size_t count);

}  // namespace nomu
