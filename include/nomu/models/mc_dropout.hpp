#pragma once
/// Monte Carlo dropout (Appendix B.1.2 of the paper): one network trained with dropout, whose dropout stays on when it
/// predicts; the spread over many passes is the model uncertainty.

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

/// A default spec is `auto`: no layers, no epochs, no dropout and a negative l2 mean "chosen" (see `resolved`). In a
/// cohort every row has its own masks, so a row's prediction depends on its position in x, as in the paper's runs; a
/// `Model` uses the same masks for all rows.
struct McDropoutSpec {
  MlpSpec net = automatic_net();
  TrainSpec train = automatic_training();
  double l2 = -1.0;      ///< l2 (1 - dropout) / n times the penalty is added to the mean loss over n rows
  double dropout = 0.0;  ///< share of the units of every hidden layer that a pass drops; 0: chosen
  std::vector<double> dropout_layers = {};  ///< the share of each convolution and hidden layer, first to last, and
                                            ///< their mean in the penalty; empty: `dropout` in all
  std::int64_t passes = 100;                ///< per prediction, each with masks of its own
  bool learn_noise = false;                 ///< also predict the data noise, as `noise_head` says
  bool noise_head = false;  ///< by a second output trained by likelihood; false: one number for all rows, the root mean
                            ///< squared training error of the network without dropout

  /// As the paper's tables were made: 1024, 2048 and 1024 units, full batches, gradients clipped.
  [[nodiscard]] static McDropoutSpec published();
};

[[nodiscard]] Fields fields_of(McDropoutSpec& spec);

/// The spec with all automatic choices made; `fit` does this itself. docs/decisions/0006-auto-preset.md has the rule.
[[nodiscard]] McDropoutSpec resolved(const McDropoutSpec& spec, std::size_t rows, std::size_t cols);

}  // namespace nomu
