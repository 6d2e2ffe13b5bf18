#pragma once
// The parts of the `auto` rule that methods share: each fills in what its spec leaves to be chosen.

#include <cstddef>

#include "nomu/models/augmentation.hpp"
#include "nomu/nn/network.hpp"
#include "nomu/nn/optimizer.hpp"

namespace nomu {

void resolve(MlpSpec& net);
void resolve(TrainSpec& train, std::size_t rows);
void resolve(Augmentation& augment, std::size_t cols);

}  // namespace nomu
