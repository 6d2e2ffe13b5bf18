#pragma once
/// The result that all methods have in common: every method returns a Prediction, and calibration, metrics and
/// acquisition depend on nothing else.

#include "nomu/core/tensor.hpp"

namespace nomu {

/// Point predictions with standard deviations on the same scale, each [M][q][1].
struct Prediction {
  Tensor<float> mean;
  Tensor<float> sigma_model;  ///< model (epistemic) uncertainty, before calibration
  Tensor<float> sigma_noise;  ///< data noise; empty: none is modelled
  Tensor<float> sigma_below;  ///< model uncertainty downwards; empty: symmetric, `sigma_model` holds for both sides
};

}  // namespace nomu
