#pragma once
/// NOMU: a mean network and a sigma network that reads its last hidden layer, trained together with a loss that pins
/// the raw sigma to zero at the data and lifts it everywhere else (Definition 3.1 of the paper).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "nomu/core/fields.hpp"
#include "nomu/data/cohort.hpp"
#include "nomu/engine/engine.hpp"
#include "nomu/models/fitted.hpp"
#include "nomu/nn/network.hpp"
#include "nomu/nn/optimizer.hpp"

namespace nomu {

/// From the raw output r of the sigma network to sigma.
struct Readout {
  enum class Kind {
    exponential,  ///< sigma_max (1 - exp(-(max(0, r) + sigma_min) / sigma_max))
    linearised,   ///< sigma_min + max(0, r - sigma_min) - max(0, r - sigma_max)
    identity      ///< max(0, r)
  };
  Kind kind = Kind::exponential;
  double sigma_min = 1e-3;
  double sigma_max = 2.0;

  [[nodiscard]] double operator()(double raw) const;
};

/// The artificial points of term (c), in a box around [-1,1]^d.
struct Augmentation {
  enum class Kind { uniform, low_discrepancy, grid };
  Kind kind = Kind::uniform;
  std::int64_t count = 128;  ///< a step; a grid needs a d-th power
  double reach = 1.0;        ///< the box is [-reach, reach]^d
};

struct NomuSpec {
  MlpSpec mean_net;
  MlpSpec sigma_net;
  TrainSpec train;
  double l2 = 1e-8;        ///< mean network, and the head of the sigma network as published
  double l2_sigma = 1e-8;  ///< hidden layers of the sigma network
  double mu_sqr = 0.1;
  double mu_exp = 0.01;
  double c_exp = 30.0;
  bool stable = false;  ///< bounded slopes in terms (b) and (c)
  Gradient gradient = Gradient::stopped;
  Augmentation augment;
  Readout readout;

  /// As the paper's tables were made: coupled gradients, a fixed grid in one dimension, clipped gradients.
  [[nodiscard]] static NomuSpec published(std::size_t dimension);

  /// As the paper's text describes it: stopped gradients, fresh uniform points on [-1,1]^d.
  [[nodiscard]] static NomuSpec written(std::size_t dimension);
};

[[nodiscard]] Fields fields_of(NomuSpec& spec);

/// Fits all members in lock step. Data must be scaled to about [-1,1] already. The engine must outlive the result.
/// Throws ConfigError for impossible settings, DeviceError where memory is short, Cancelled on request.
[[nodiscard]] std::unique_ptr<FittedCohort> fit(const NomuSpec& spec, const Cohort& cohort, Engine& engine,
                                                const Progress& progress = {});

/// See `restore` in models/method.
[[nodiscard]] std::unique_ptr<FittedCohort> restore(const NomuSpec& spec, const FittedState& state,
                                                    std::vector<FitReport> reports, Engine& engine);

}  // namespace nomu
