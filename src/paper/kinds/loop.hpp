#pragma once
/// The paper's protocol of Bayesian optimisation (Section 4.2, Appendix B.3) for many runs in lock step: at every step
/// the models of all runs are one cohort, and their acquisitions are maximised in common batches.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nomu/bo/acquisition.hpp"
#include "nomu/bo/direct.hpp"
#include "nomu/core/progress.hpp"
#include "nomu/data/functions.hpp"
#include "nomu/engine/engine.hpp"
#include "nomu/models/method.hpp"

namespace nomu {

struct LoopSpec {
  std::optional<MethodSpec> method = {};  ///< empty: RAND, uniform draws
  std::int64_t steps = 64;                ///< points chosen after the initial ones
  std::optional<double> mean_width = {};  ///< MW scaling after the first fit; empty: c = 1 throughout, as pGP
  DynamicC dynamic = {};                  ///< used with MW scaling only
  DirectSpec direct{.evaluations = 5000, .iterations = 100};
  std::int64_t local_starts = 0;  ///< refinement by gradients; the paper had none
  std::int64_t warm_epochs = 0;   ///< of models that go on from an earlier one; 0: every model starts anew
  std::int64_t warm_every = 8;    ///< steps after which a model starts anew; those between go on from the last such one
  std::int64_t width_points = 20000;
  bool same_seed = false;          ///< of all models of a run, as in the published runs, instead of one for each step
  bool variance_as_sigma = false;  ///< as the published runs of DE and HDE did by mistake
};

/// One run: a function on [-1,1]^d whose largest value is sought, and where it begins.
struct LoopRun {
  std::function<double(std::span<const double>)> evaluate;
  std::vector<double> initial;  ///< [n][d], equally many in all runs
  std::uint64_t seed = 0;
};

struct LoopTrace {
  std::vector<double> points;           ///< [n + steps][d]
  std::vector<double> values;           ///< [n + steps]
  double c = 0.0;                       ///< after MW scaling
  std::vector<std::int64_t> doublings;  ///< [steps], of Dynamic c
  std::int64_t diverged = 0;            ///< steps whose model did; a random point was taken then
};

/// Runs all to their end. Results do not depend on which runs are in one call. Throws ConfigError for runs that do not
/// fit together and for a warm start of a method that cannot go on, DataError where a function is not finite, Cancelled
/// on request.
[[nodiscard]] std::vector<LoopTrace> run_loops(const LoopSpec& spec, std::span<const LoopRun> runs,
                                               std::size_t dimension, Engine& engine, const Progress& progress = {});

/// Simple regret after each of the n + steps evaluations, over the absolute optimum as the paper has it.
[[nodiscard]] std::vector<double> regret(std::span<const double> values, double optimum);

/// The best of DIRECT with this many evaluations on [-1,1]^d: an optimum for functions that have no formula for it.
[[nodiscard]] double direct_optimum(const std::function<std::vector<double>(std::span<const double>)>& rows,
                                    std::size_t dimension, std::int64_t evaluations = 20000);

}  // namespace nomu
