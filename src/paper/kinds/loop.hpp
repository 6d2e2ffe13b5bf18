#pragma once
/// The paper's Bayesian optimisation protocol (Section 4.2, Appendix B.3) for many runs in lock step: at every step the
/// models of all runs form one cohort, and their acquisitions are maximised in shared batches.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nomu/bo/acquisition.hpp"
#include "nomu/bo/direct.hpp"
#include "nomu/core/progress.hpp"
#include "nomu/engine/engine.hpp"
#include "nomu/models/method.hpp"
#include "paper/problems/functions.hpp"

namespace nomu {

struct LoopSpec {
  std::optional<MethodSpec> method = {};  ///< empty: RAND, uniform random points
  std::int64_t steps = 64;                ///< points chosen after the initial ones
  std::optional<double> mean_width = {};  ///< MW scaling after the first fit; empty: c = 1 throughout, like pGP
  DynamicC dynamic = {};                  ///< used with MW scaling only
  DirectSpec direct{.evaluations = 5000, .iterations = 100};
  std::int64_t local_starts = 0;  ///< starts of a gradient refinement; the paper had none
  std::int64_t warm_epochs =
      0;  ///< epochs of models that continue from an earlier one; 0: every model is trained from scratch
  std::int64_t warm_every =
      8;  ///< steps between models trained from scratch; the others continue from the last of these
  std::int64_t width_points = 20000;
  bool same_seed = false;  ///< one seed for all models of a run, as in the published runs, instead of one per step
  bool variance_as_sigma = false;  ///< use the variance as sigma, as the published runs of DE and HDE did by mistake
};

/// One run: a function on [-1,1]^d to maximise, and its initial points.
struct LoopRun {
  std::function<double(std::span<const double>)> evaluate;
  std::vector<double> initial;  ///< [n][d], with the same n in all runs
  std::uint64_t seed = 0;
};

struct LoopTrace {
  std::vector<double> points;           ///< [n + steps][d]
  std::vector<double> values;           ///< [n + steps]
  double c = 0.0;                       ///< after MW scaling
  std::vector<std::int64_t> doublings;  ///< [steps], of Dynamic c
  std::int64_t diverged = 0;            ///< steps whose model diverged, so that a random point was taken
};

/// Runs all of them to the end. Results do not depend on which runs share a call. `record`: a file that keeps the
/// finished steps, from which a call that was stopped continues; it is removed in the end. Not used with warm starts,
/// whose models it does not keep. Throws ConfigError when runs do not match or the method cannot continue an earlier
/// fit as `warm_epochs` requires, DataError when a function value is not finite or the record is of other runs,
/// Cancelled on request.
[[nodiscard]] std::vector<LoopTrace> run_loops(const LoopSpec& spec, std::span<const LoopRun> runs,
                                               std::size_t dimension, Engine& engine, const Progress& progress = {},
                                               const std::filesystem::path& record = {});

/// Simple regret after each of the n + steps evaluations, divided by the absolute optimum as in the paper.
[[nodiscard]] std::vector<double> regret(std::span<const double> values, double optimum);

/// The best value DIRECT finds on [-1,1]^d with this many evaluations: an optimum for functions without a formula for
/// it.
[[nodiscard]] double direct_optimum(const std::function<std::vector<double>(std::span<const double>)>& rows,
                                    std::size_t dimension, std::int64_t evaluations);

}  // namespace nomu
