#pragma once
// The parts of the `auto` rule that methods share: each fills in what its spec leaves to be chosen.

#include <cstddef>

#include "nomu/models/augmentation.hpp"
#include "nomu/nn/network.hpp"
#include "nomu/nn/optimizer.hpp"

namespace nomu {

void resolve(MlpSpec& net);
/// One network for the mean and, where it is learned, the noise: a small one then, because a large one learns single
/// rows by heart and takes what is left for the noise.
void resolve_regression(MlpSpec& net, bool learn_noise);
void resolve(TrainSpec& train, std::size_t rows);
void resolve(Augmentation& augment, std::size_t cols);
/// A negative penalty beside a loss that is added up over all rows becomes that of a prior of deviation 1 on every
/// parameter where noise is learned (the loss is a likelihood then), and next to nothing where rows are to be met.
void resolve_penalty(double& l2, bool learn_noise);

}  // namespace nomu
