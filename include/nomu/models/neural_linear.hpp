#pragma once
/// The neural linear model: a network is trained as usual, then its head is replaced by exact Bayesian linear
/// regression on the last hidden layer, with prior and noise precision that maximise the evidence.

#include <cstddef>
#include <memory>
#include <vector>

#include "nomu/core/fields.hpp"
#include "nomu/core/progress.hpp"
#include "nomu/data/cohort.hpp"
#include "nomu/engine/engine.hpp"
#include "nomu/models/fitted.hpp"
#include "nomu/models/training.hpp"
#include "nomu/nn/network.hpp"
#include "nomu/nn/optimizer.hpp"

namespace nomu {

/// sigma_noise is one number for each member. The last hidden layer has fewer than 2500 units.
struct NeuralLinearSpec {
  MlpSpec net = shallow_net();
  TrainSpec train = automatic_training();  ///< epochs of 0 are chosen from the rows
  double l2 = 0.1;                         ///< the mean squared error over n rows is given l2 / n
};

[[nodiscard]] Fields fields_of(NeuralLinearSpec& spec);

/// The spec with all that is left to be chosen filled in; `fit` does this itself. docs/decisions/0006-auto-preset.md
/// has the rule.
[[nodiscard]] NeuralLinearSpec resolved(const NeuralLinearSpec& spec, std::size_t rows, std::size_t cols);

}  // namespace nomu
