#pragma once
/// Hyper deep ensembles (Appendix B.1.4 of the paper, Algorithms 1 and 2): networks that differ in dropout and L2
/// penalty as well as in their initialisation, chosen by how well they perform together on validation rows.

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

/// A default spec is `auto`: no layers and no epochs mean "chosen from the rows" (see `resolved`). All candidates of
/// all members train as one cohort, the additional initialisations of the chosen ones as another. Every member needs at
/// least two rows.
struct HyperDeepEnsembleSpec {
  MlpSpec net = automatic_net();
  TrainSpec train = automatic_training();
  std::int64_t networks = 5;     ///< largest number of distinct networks, and initialisations tried of each
  std::int64_t candidates = 20;  ///< number of pairs of dropout and L2 penalty tried, log-uniform in their ranges
  double dropout_low = 1e-3;
  double dropout_high = 0.9;
  double l2_low = 1e-11;  ///< l2 (1 - dropout) / n times the penalty is added to the mean loss over n rows
  double l2_high = 1e-5;
  double validation = 0.2;       ///< share of the rows used for validation, rounded up
  bool refit = false;            ///< HDE*: the chosen networks continue training on all rows
  bool published_sigma = false;  ///< return the variance as sigma, as in the published runs
  bool published_score = false;  ///< score every prediction against every target, as in the published runs

  /// As the paper's tables were made, including both mistakes: 256, 1024 and 512 units, full batches, 50 candidates.
  [[nodiscard]] static HyperDeepEnsembleSpec published();
};

[[nodiscard]] Fields fields_of(HyperDeepEnsembleSpec& spec);

/// The spec with all automatic choices made; `fit` does this itself. docs/decisions/0006-auto-preset.md has the rule.
[[nodiscard]] HyperDeepEnsembleSpec resolved(const HyperDeepEnsembleSpec& spec, std::size_t rows, std::size_t cols);

}  // namespace nomu
