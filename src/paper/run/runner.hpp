#pragma once
/// Runs an experiment: expands it to runs, packs runs of equal shape into cohorts, fits those the store does not have
/// yet and stores each cohort when it is done. Stopping and resuming changes no number.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "nomu/core/progress.hpp"
#include "nomu/engine/engine.hpp"
#include "paper/experiment/experiment.hpp"
#include "paper/kinds/kind.hpp"
#include "paper/results/store.hpp"
#include "paper/run/shared_rows.hpp"

namespace nomu {

/// The whole experiment as cohorts, finished or not, ordered by seed, so that a run that is cut short leaves balanced
/// tables: all problems of a seed together, methods in turn. `gpu` chooses between a method's two cohort sizes.
[[nodiscard]] std::vector<Piece> expand_experiment(const ExperimentSpec& spec, const std::string& precision, bool gpu);

struct RunnerOptions {
  double limit_seconds = 0.0;          ///< start no cohort that is expected to end after it; 0: no limit
  std::string revision = {};           ///< recorded with the rows
  std::filesystem::path records = {};  ///< folder in which long runs keep finished steps; empty: the store's
  SharedRows* shared = nullptr;        ///< if other processes work on the experiment too
};

struct RunnerReport {
  std::size_t runs = 0;      ///< in the whole experiment
  std::size_t finished = 0;  ///< already stored before
  std::size_t added = 0;
  std::size_t by_others = 0;  ///< stored by other processes meanwhile
  std::size_t failed = 0;     ///< added runs that diverged or are degenerate
  double seconds = 0.0;

  [[nodiscard]] bool complete() const { return finished + added + by_others == runs; }
};

/// Runs what is not stored yet. If work is shared, waits for what others have claimed, takes it over if they are not
/// heard of, and ends when the whole experiment is in the store. Progress counts runs. Throws Cancelled on request,
/// after storing all finished cohorts.
RunnerReport run_experiment(const ExperimentSpec& spec, ResultStore& store, Engine& engine,
                            const RunnerOptions& options = {}, const Progress& progress = {});

}  // namespace nomu
