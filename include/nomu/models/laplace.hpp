#pragma once
/// Linearised Laplace: a trained network, linearised in its parameters around their trained values, with the posterior
/// covariance given by the generalised Gauss-Newton matrix. Prior and noise precision maximise the evidence.

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

/// The mean is the network's; sigma_noise is one number per member.
struct LaplaceSpec {
  enum class Weights {
    automatic,  ///< full if the covariance of all of them is affordable, otherwise last_layer
    full,       ///< at most 2500 of them
    last_layer
  };

  MlpSpec net = shallow_net();
  TrainSpec train = automatic_training();  ///< 0 epochs: chosen from the rows
  double l2 = 0.1;                         ///< l2 / n times the penalty is added to the mean loss over n rows
  Weights weights = Weights::automatic;    ///< which parameters are uncertain
};

[[nodiscard]] Fields fields_of(LaplaceSpec& spec);

/// The spec with all automatic choices made; `fit` does this itself. docs/decisions/0006-auto-preset.md has the rule.
[[nodiscard]] LaplaceSpec resolved(const LaplaceSpec& spec, std::size_t rows, std::size_t cols);

}  // namespace nomu
