#pragma once
/// The aleatoric neural network (Appendix G of the paper): one network whose output for the data noise is taken for
/// model uncertainty. It shows what goes wrong when the two are confused; do not use it in practice.

#include <memory>
#include <vector>

#include "nomu/core/fields.hpp"
#include "nomu/core/progress.hpp"
#include "nomu/data/cohort.hpp"
#include "nomu/engine/engine.hpp"
#include "nomu/models/fitted.hpp"
#include "nomu/nn/network.hpp"
#include "nomu/nn/optimizer.hpp"

namespace nomu {

/// sigma_model is the noise output (Definition G.1); there is no sigma_noise.
struct AnnSpec {
  MlpSpec net;
  TrainSpec train;
  double l2 = 1e-8;  ///< l2 / n times the penalty is added to the mean loss over n rows
};

[[nodiscard]] Fields fields_of(AnnSpec& spec);

}  // namespace nomu
