#pragma once
/// Monte Carlo dropout (Appendix B.1.2 of the paper): one network trained with dropout, whose dropout stays on when it
/// predicts; the spread of many such passes is the model uncertainty.

#include <cstdint>
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

struct McDropoutSpec {
  MlpSpec net{.hidden = {1024, 2048, 1024}};
  TrainSpec train{.snapshot = Snapshot::none};
  double l2 = 1e-8;           ///< the mean squared error over n rows is given l2 (1 - dropout) / n
  double dropout = 0.2;       ///< share of the units of every hidden layer that a pass leaves out
  std::int64_t passes = 100;  ///< of a prediction; masks differ from row to row and from pass to pass
  bool learn_noise = false;   ///< a second output for the data noise, trained by likelihood

  /// As the paper's tables were made: gradients clipped.
  [[nodiscard]] static McDropoutSpec published();
};

[[nodiscard]] Fields fields_of(McDropoutSpec& spec);

/// Fits all members in lock step. Data must be scaled to about [-1,1] already. The engine must outlive the result. The
/// masks of a prediction are numbered by row: a row's value depends on its place in x.
/// Throws ConfigError for impossible settings, DeviceError where memory is short, Cancelled on request.
[[nodiscard]] std::unique_ptr<FittedCohort> fit(const McDropoutSpec& spec, const Cohort& cohort, Engine& engine,
                                                const Progress& progress = {});

/// See `restore` in models/method.
[[nodiscard]] std::unique_ptr<FittedCohort> restore(const McDropoutSpec& spec, const FittedState& state,
                                                    std::vector<FitReport> reports, Engine& engine);

}  // namespace nomu
