#pragma once
// How the outputs of a member's networks become its prediction, as plain data. Prediction, slopes and ONNX export all
// use this one description.

#include <cstddef>

#include "nomu/models/readout.hpp"

namespace nomu {

/// Output 0 is the mean. sigma_model is the root of the mean of the networks' own variances plus the variance of their
/// means: for a single network its own sigma, for an ensemble of networks without sigma their spread.
struct OutputMap {
  enum class Sigma {
    spread,    ///< networks have no sigma of their own: ensembles, MC dropout
    readout,   ///< the last output, through the readout: NOMU
    noise,     ///< output 1, the data noise: ANN
    directed,  ///< outputs 1 and 2 are an upper and a lower bound: directed bounds
    constant   ///< the same number everywhere, whatever the spread: TUBE
  };
  enum class Noise {
    none,
    output,   ///< softplus of output 1, plus `noise_floor`
    constant  ///< one number per member
  };

  Sigma sigma = Sigma::spread;
  Noise noise = Noise::none;
  Readout readout = {};            ///< for `readout` and `directed`
  double sigma_constant = 0.0;     ///< for `constant`
  double noise_floor = 0.0;        ///< smallest standard deviation that an output represents
  bool noise_in_float = false;     ///< softplus in single precision, as in the loss of plain regression
  bool variance_as_sigma = false;  ///< return the square of sigma as sigma, as in the published runs
};

/// The standard deviation that a raw noise output represents.
[[nodiscard]] double noise_of(const OutputMap& map, float raw);

}  // namespace nomu
