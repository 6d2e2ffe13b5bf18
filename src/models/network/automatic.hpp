#pragma once
// The parts of the `auto` rule that methods share: each fills in what a spec leaves open.

#include <cstddef>

#include "nomu/models/augmentation.hpp"
#include "nomu/nn/network.hpp"
#include "nomu/nn/optimizer.hpp"

namespace nomu {

void resolve(MlpSpec& net);
/// One network for the mean and, if learned, the noise: then a small one, because a large one memorises single rows and
/// takes the remaining error for the noise.
void resolve_regression(MlpSpec& net, bool learn_noise);
void resolve(TrainSpec& train, std::size_t rows);
void resolve(Augmentation& augment, std::size_t cols);
/// Replaces a negative penalty on a loss summed over all rows. If noise is learned (the loss is then a likelihood), it
/// becomes that of a prior with standard deviation 1 on every parameter; otherwise it is negligible, so that the
/// network fits every row.
void resolve_penalty(double& l2, bool learn_noise);

}  // namespace nomu
