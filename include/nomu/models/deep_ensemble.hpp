#pragma once
/// Deep ensembles (Appendix B.1.3 of the paper): several networks that differ only in their random initialisation; the
/// spread of their predictions is the model uncertainty.

#include <cstddef>
#include <cstdint>
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

/// A default spec is `auto`: no layers, no epochs and a negative l2 mean "chosen from the rows" (see `resolved`).
struct DeepEnsembleSpec {
  MlpSpec net = automatic_net();
  TrainSpec train = automatic_training();
  std::int64_t networks = 5;
  double l2 = -1.0;          ///< l2 / n times the penalty is added to the mean loss over n rows
  bool learn_noise = false;  ///< a second output for the data noise, trained by likelihood

  /// As the paper's tables were made: 256, 1024 and 512 units, full batches, gradients clipped.
  [[nodiscard]] static DeepEnsembleSpec published();
};

[[nodiscard]] Fields fields_of(DeepEnsembleSpec& spec);

/// The spec with all automatic choices made; `fit` does this itself. docs/decisions/0006-auto-preset.md has the rule.
[[nodiscard]] DeepEnsembleSpec resolved(const DeepEnsembleSpec& spec, std::size_t rows, std::size_t cols);

}  // namespace nomu
