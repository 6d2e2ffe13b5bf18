#pragma once
/// One run of the paper's toy regression (Section 4.1.1): a few noiseless points of a known function, a method fitted
/// to them, its metrics on fresh points, the desiderata, and in one dimension a plot of its bounds.

#include <cstdint>
#include <string>

#include "nomu/core/fields.hpp"
#include "nomu/core/progress.hpp"
#include "nomu/engine/engine.hpp"
#include "nomu/eval/desiderata.hpp"
#include "nomu/eval/metrics.hpp"
#include "nomu/models/method.hpp"
#include "nomu/report/plot.hpp"

namespace nomu {

struct ToySpec {
  std::string function = "levy";
  std::int64_t dimension = 1;
  std::int64_t rows = 8;  ///< training points
  std::int64_t test_rows = 100;
  std::int64_t seed = 513;    ///< of the inputs; the paper's tables use 501, ..., 1000
  std::int64_t fit_seed = 1;  ///< of everything random in the fit
};

[[nodiscard]] Fields fields_of(ToySpec& spec);

struct ToyReport {
  MetricsReport metrics;
  DesiderataReport desiderata;  ///< D1 to D4, probed a tenth beyond [-1,1]^d
  FitReport fit;
  double c = 0.0;  ///< the factor on sigma with the smallest NLL on the test points, used in the plot
  Plot plot;       ///< one dimension only; empty otherwise
};

/// Throws ConfigError for an unknown function or dimension, Error when the fit diverges.
[[nodiscard]] ToyReport run_toy(const ToySpec& spec, const MethodSpec& method, Engine& engine,
                                const Progress& progress = {});

}  // namespace nomu
