#pragma once
/// Monte Carlo dropout (Appendix B.1.2 of the paper): one network trained with dropout, whose dropout stays on when it
/// predicts; the spread of many such passes is the model uncertainty.

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

/// A default spec is `auto`: no layers, no epochs, no dropout and a negative l2 mean "chosen", see `resolved`. In a
/// cohort the masks are numbered by row, so that a row's prediction depends on its place in x, as in the paper's runs;
/// a `Model` keeps its masks from row to row.
struct McDropoutSpec {
  MlpSpec net = automatic_net();
  TrainSpec train = automatic_training();
  double l2 = -1.0;           ///< the mean squared error over n rows is given l2 (1 - dropout) / n
  double dropout = 0.0;       ///< share of the units of every hidden layer that a pass leaves out; 0: chosen
  std::int64_t passes = 100;  ///< of a prediction; masks differ from row to row and from pass to pass
  bool learn_noise = false;   ///< the data noise is predicted too, in the way `noise_head` says
  bool noise_head = false;    ///< by a second output trained by likelihood; false: one number for all rows, by how much
                              ///< the network without dropout misses those it learned from (root mean square)

  /// As the paper's tables were made: 1024, 2048 and 1024 units, full batches, gradients clipped.
  [[nodiscard]] static McDropoutSpec published();
};

[[nodiscard]] Fields fields_of(McDropoutSpec& spec);

/// The spec with all that is left to be chosen filled in; `fit` does this itself. docs/decisions/0006-auto-preset.md
/// has the rule.
[[nodiscard]] McDropoutSpec resolved(const McDropoutSpec& spec, std::size_t rows, std::size_t cols);

}  // namespace nomu
