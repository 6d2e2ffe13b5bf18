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

struct NeuralLinearSpec {
  MlpSpec net = shallow_net();
  TrainSpec train = automatic_training();  ///< epochs of 0 are chosen from the rows
  double l2 = 0.1;                         ///< the mean squared error over n rows is given l2 / n
};

[[nodiscard]] Fields fields_of(NeuralLinearSpec& spec);

/// The spec with all that is left to be chosen filled in; `fit` does this itself. docs/decisions/0006-auto-preset.md
/// has the rule.
[[nodiscard]] NeuralLinearSpec resolved(const NeuralLinearSpec& spec, std::size_t rows, std::size_t cols);

/// Fits all members in lock step, then finds their heads one by one. Data must be scaled to about [-1,1] already.
/// sigma_noise is one number a member. Throws ConfigError for impossible settings and for a last hidden layer of 2500
/// units or more, DeviceError where memory is short, Cancelled on request.
[[nodiscard]] std::unique_ptr<FittedCohort> fit(const NeuralLinearSpec& spec, const Cohort& cohort, Engine& engine,
                                                const Progress& progress = {});

/// See `restore` in models/method.
[[nodiscard]] std::unique_ptr<FittedCohort> restore(const NeuralLinearSpec& spec, const FittedState& state,
                                                    std::vector<FitReport> reports, Engine& engine);

}  // namespace nomu
