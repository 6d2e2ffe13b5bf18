#pragma once
/// Runs an experiment: expands it to runs, packs runs of equal shape into cohorts, fits what the store does not have
/// yet and stores each cohort when it is done. Where work is cut and resumed changes no number.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "nomu/core/progress.hpp"
#include "nomu/engine/engine.hpp"
#include "paper/experiment/experiment.hpp"
#include "paper/kinds/kind.hpp"
#include "paper/results/store.hpp"

namespace nomu {

/// The whole experiment as cohorts, finished or not: seeds in order, all problems of a seed together, methods in turn,
/// so that a run that is cut short leaves balanced tables. `gpu` chooses between the two cohort sizes of a method.
[[nodiscard]] std::vector<Piece> expand_experiment(const ExperimentSpec& spec, const std::string& precision, bool gpu);

struct RunnerOptions {
  double limit_seconds = 0.0;  ///< no cohort is begun that is not expected to end within it; 0: none
  std::string revision;        ///< recorded with the rows
};

struct RunnerReport {
  std::size_t runs = 0;      ///< of the experiment
  std::size_t finished = 0;  ///< before it began
  std::size_t added = 0;
  std::size_t failed = 0;  ///< of the added ones, diverged or degenerate
  double seconds = 0.0;

  [[nodiscard]] bool complete() const { return finished + added == runs; }
};

/// Runs what is missing. Progress counts runs. Throws Cancelled on request, with all finished cohorts stored.
RunnerReport run_experiment(const ExperimentSpec& spec, ResultStore& store, Engine& engine,
                            const RunnerOptions& options = {}, const Progress& progress = {});

}  // namespace nomu
