#pragma once
/// Linearised Laplace: a trained network, linear in its parameters around the trained ones, whose posterior covariance
/// is that of the generalised Gauss-Newton matrix. Prior and noise precision maximise the evidence.

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

struct LaplaceSpec {
  enum class Weights {
    automatic,  ///< full where the covariance of all of them can be had, else last_layer
    full,       ///< at most 2500 of them
    last_layer
  };

  MlpSpec net = shallow_net();
  TrainSpec train = automatic_training();  ///< epochs of 0 are chosen from the rows
  double l2 = 0.1;                         ///< the mean squared error over n rows is given l2 / n
  Weights weights = Weights::automatic;    ///< which parameters are uncertain
};

[[nodiscard]] Fields fields_of(LaplaceSpec& spec);

/// The spec with all that is left to be chosen filled in; `fit` does this itself. docs/decisions/0006-auto-preset.md
/// has the rule.
[[nodiscard]] LaplaceSpec resolved(const LaplaceSpec& spec, std::size_t rows, std::size_t cols);

/// Fits all members in lock step, then finds their covariances one by one. Data must be scaled to about [-1,1] already.
/// The mean is the network's; sigma_noise is one number a member. Throws ConfigError for impossible settings and for
/// too many parameters, DeviceError where memory is short, Cancelled on request.
[[nodiscard]] std::unique_ptr<FittedCohort> fit(const LaplaceSpec& spec, const Cohort& cohort, Engine& engine,
                                                const Progress& progress = {});

/// See `restore` in models/method.
[[nodiscard]] std::unique_ptr<FittedCohort> restore(const LaplaceSpec& spec, const FittedState& state,
                                                    std::vector<FitReport> reports, Engine& engine);

}  // namespace nomu
