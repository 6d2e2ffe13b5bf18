#pragma once
/// Directed bounds: three networks, one each for the mean, the upper and the lower bound, so that the two sides may
/// differ (Appendix C.2 of the paper).

#include <cstddef>
#include <memory>
#include <vector>

#include "nomu/core/fields.hpp"
#include "nomu/data/cohort.hpp"
#include "nomu/engine/engine.hpp"
#include "nomu/models/augmentation.hpp"
#include "nomu/models/fitted.hpp"
#include "nomu/models/readout.hpp"
#include "nomu/models/training.hpp"
#include "nomu/nn/network.hpp"
#include "nomu/nn/optimizer.hpp"

namespace nomu {

/// Which bounds are learned. With one of them the other side is as wide.
enum class Sides { both, upper, lower };

/// What term (c') pushes: the bounds' distances to the mean, or the bounds themselves, as the paper prints it.
enum class Lift { from_mean, as_printed };

/// Networks without layers and sizes of 0 are chosen from the rows and columns, as in NomuSpec. The paper gives no
/// numbers for this method; the loss weights are those of NOMU. In predictions, sigma_model is the upward uncertainty
/// and sigma_below the downward one; with one side only, sigma_model is that of both.
struct DirectedSpec {
  MlpSpec mean_net = automatic_net();
  MlpSpec bound_net = automatic_net();
  TrainSpec train = automatic_training();
  double l2 = 1e-8;        ///< mean network
  double l2_bound = 1e-8;  ///< both networks of the bounds
  double mu_sqr = 0.1;
  double mu_exp = 0.01;
  double c_exp = 30.0;
  Sides sides = Sides::both;
  Lift lift = Lift::from_mean;  ///< `as_printed` needs a c_exp of about 1: a bound beyond a few / c_exp is not pushed
  Augmentation augment;
  Readout readout;  ///< turns the distances upper - mean and mean - lower into sigma_model and sigma_below
};

[[nodiscard]] Fields fields_of(DirectedSpec& spec);

/// The spec with all automatic choices made; `fit` does this itself.
[[nodiscard]] DirectedSpec resolved(const DirectedSpec& spec, std::size_t rows, std::size_t cols);

}  // namespace nomu
