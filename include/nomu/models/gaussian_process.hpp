#pragma once
/// Gaussian process regression with a squared exponential kernel whose settings maximise the evidence (Appendix B.1.1
/// of the paper). The exact benchmark for model uncertainty on few rows; the work grows with the cube of their number.

#include <cstdint>
#include <memory>
#include <vector>

#include "nomu/core/fields.hpp"
#include "nomu/core/progress.hpp"
#include "nomu/data/cohort.hpp"
#include "nomu/engine/engine.hpp"
#include "nomu/models/fitted.hpp"

namespace nomu {

/// Where the search for a kernel setting starts and the bounds it stays within; equal bounds fix the setting.
struct SearchRange {
  double start = 1.0;
  double low = 1e-5;
  double high = 1e5;
};

/// The kernel is k(x, x') = variance exp(-sum_j (x_j - x'_j)^2 / (2 length_j^2)) on the target as `target` scales it.
/// Members are fitted independently, several at a time; known data noise of the cohort is added to the diagonal. In
/// reports, losses are negative log evidences (`first_loss` at the given start, `best_loss` the best found), `history`
/// has one entry per start and `epochs` counts evaluations.
struct GpSpec {
  enum class Target {
    as_given,     ///< unchanged
    centred,      ///< minus its mean
    standardised  ///< minus its mean, divided by its standard deviation
  };
  Target target = Target::standardised;
  SearchRange variance;
  SearchRange length;
  bool length_per_input = true;  ///< one length per input column; false: one for all
  bool learn_noise = true;       ///< also search for the variance of the data noise and predict it as sigma_noise
  SearchRange noise{.start = 1e-2, .low = 1e-8, .high = 1e2};
  enum class FirstStep {
    unit,  ///< at most 1 in the logarithms: most starts find the best maximum
    leap   ///< the full gradient, clipped to the bounds, as in the published runs: about one start in five finds it
  };
  FirstStep first_step = FirstStep::unit;
  double nugget = 1e-7;           ///< always added to the diagonal
  double sigma_floor = 0.0;       ///< added to sigma_model
  std::int64_t restarts = 5;      ///< additional starts, log-uniform within the bounds
  double tolerance = 1e-9;        ///< a search ends when the evidence improves by less, relatively or absolutely
  std::int64_t most_steps = 500;  ///< largest number of evidence evaluations per start

  /// As the paper's tables were made: one length, no noise, target centred, ten restarts that begin with a leap, 0.001
  /// added to sigma. The leaps matter: a search that misses fewer maxima than the authors' does not reproduce the
  /// tables.
  [[nodiscard]] static GpSpec published();
};

[[nodiscard]] Fields fields_of(GpSpec& spec);

}  // namespace nomu
