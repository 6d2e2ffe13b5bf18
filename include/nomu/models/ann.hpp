#pragma once
/// The aleatoric neural network (Appendix G of the paper): one network with an output for the data noise, which is then
/// taken for model uncertainty. It shows what goes wrong when the two are confused; not for use.

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
  double l2 = 1e-8;  ///< the mean log-likelihood over n rows is given l2 / n
};

[[nodiscard]] Fields fields_of(AnnSpec& spec);

}  // namespace nomu
