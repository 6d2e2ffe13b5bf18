#pragma once
/// A fitted cohort that can also say how its predictions change with the inputs, for searches that climb.

#include "nomu/core/tensor.hpp"

namespace nomu {

/// Derivatives of a prediction by every input, each [M][q][d].
struct PredictionSlopes {
  Tensor<float> mean;
  Tensor<float> sigma_model;
};

/// What a FittedCohort may offer besides predictions; ask for it by dynamic_cast.
class HasSlopes {
 public:
  HasSlopes() = default;
  HasSlopes(const HasSlopes&) = delete;
  HasSlopes& operator=(const HasSlopes&) = delete;
  HasSlopes(HasSlopes&&) = delete;
  HasSlopes& operator=(HasSlopes&&) = delete;
  virtual ~HasSlopes() = default;

  /// Exact slopes at x [1 or M][q][d].
  [[nodiscard]] virtual PredictionSlopes slopes(const Tensor<float>& x) const = 0;
};

}  // namespace nomu
