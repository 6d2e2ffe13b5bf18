#pragma once
/// From the raw output of the sigma network to sigma (Section 3.2 of the paper), and the choice of its limits on rows
/// that the fit has not seen.

#include <span>
#include <vector>

#include "nomu/core/fields.hpp"
#include "nomu/eval/calibration.hpp"

namespace nomu {

/// From the raw output r of the sigma network to sigma.
struct Readout {
  enum class Kind {
    exponential,  ///< sigma_max (1 - exp(-(max(0, r) + sigma_min) / sigma_max))
    linearised,   ///< sigma_min + max(0, r - sigma_min) - max(0, r - sigma_max)
    identity,     ///< max(0, r)
    network       ///< sigma_min + sum over k of height_k tanh(slope_k max(0, r)), learned by `fit_readout` (Appendix J)
  };
  Kind kind = Kind::exponential;
  double sigma_min = 1e-3;
  double sigma_max = 2.0;
  std::vector<double> weights = {};  ///< of `network`: height and slope of each unit in turn, none negative

  [[nodiscard]] double operator()(double raw) const;

  friend bool operator==(const Readout&, const Readout&) = default;
};

/// The settings of a readout, bound for reading and writing by name.
[[nodiscard]] Fields fields_of(Readout& readout);

/// Throws ConfigError if the weights do not fit the kind.
void check(const Readout& readout);

/// Derivative of sigma with respect to the raw output; from the left where there is a kink.
[[nodiscard]] double slope_of(const Readout& readout, double raw);

/// What a fitted member predicted for rows with known targets, all on the scale of the fit.
struct ReadoutRows {
  std::span<const double> raw;         ///< [q] output of the sigma network
  std::span<const double> mean;        ///< [q]
  std::span<const double> targets;     ///< [q]
  std::span<const double> noise = {};  ///< [q] standard deviations of the data noise; empty: none is modelled
};

struct ReadoutFit {
  Readout readout;
  Calibration calibration;  ///< c in closed form without noise; c_model and c_noise with it
  double nll = 0.0;         ///< the minimum, including the constant
};

/// The sigma_min, sigma_max and c with the smallest Gaussian NLL. As in the authors' UCI runs, sigma_min ranges
/// geometrically from 0.005 to 0.8 and sigma_max from 0.8 to 10; here on a 13 x 9 grid that is then refined twice
/// around its best point. The identity has no limits to choose, so only c is fitted; a network has its weights and
/// sigma_min trained by gradient descent, for which some tens of rows are needed. Throws DataError like the functions
/// of eval/calibration.
[[nodiscard]] ReadoutFit fit_readout(Readout::Kind kind, const ReadoutRows& rows);

}  // namespace nomu
