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

/// sigma_noise is one number per member. The last hidden layer must have fewer than 2500 units.
struct NeuralLinearSpec {
  MlpSpec net = shallow_net();
  TrainSpec train = automatic_training();  ///< 0 epochs: chosen from the rows
  double l2 = 0.1;                         ///< l2 / n times the penalty is added to the mean loss over n rows
};

[[nodiscard]] Fields fields_of(NeuralLinearSpec& spec);

/// The spec with all automatic choices made; `fit` does this itself. docs/decisions/0006-auto-preset.md has the rule.
[[nodiscard]] NeuralLinearSpec resolved(const NeuralLinearSpec& spec, std::size_t rows, std::size_t cols);

}  // namespace nomu
