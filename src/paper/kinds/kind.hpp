#pragma once
/// What the kinds of experiments do differently, each as one value of functions: which rows a run has, how a cohort of
/// runs is fitted and measured, and what many runs say together. Expansion, packing, storing and reporting are the
/// runner's.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nomu/core/progress.hpp"
#include "nomu/data/dataset.hpp"
#include "nomu/engine/engine.hpp"
#include "nomu/eval/statistics.hpp"
#include "nomu/models/method.hpp"
#include "paper/experiment/experiment.hpp"
#include "paper/results/store.hpp"

namespace nomu {

/// The rows of one run in their own units.
struct RunData {
  DataSet train;
  DataSet validation;  ///< no rows where the kind of experiment needs none
  DataSet test;
};

/// Rows and input columns of a problem's training data, as far as specs depend on them.
struct ProblemShape {
  std::size_t rows = 0;
  std::size_t cols = 0;

  friend bool operator==(const ProblemShape&, const ProblemShape&) = default;
};

/// One run of a problem.
struct ExperimentRun {
  std::string problem;
  std::uint64_t seed = 0;  ///< of its rows, or the number of its split
  ResultKey key;

  /// Of everything random in the fit; differs from problem to problem.
  [[nodiscard]] std::uint64_t fit_seed() const;
};

/// Runs of one method that are fitted as one cohort: equal specs, equally many columns.
struct Piece {
  ExperimentMethod method;
  MethodSpec spec;
  std::vector<ExperimentRun> runs;
};

/// What one run of a piece gave.
struct Measured {
  RunStatus status = RunStatus::ok;
  std::vector<double> values;  ///< one for each of `ExperimentKind::values`
};

/// What many runs say together.
struct Estimate {
  double value = 0.0;
  Interval interval;  ///< of 95 % confidence
};

/// A metric in a report.
struct ExperimentMetric {
  std::string name;   ///< in files: "min_nll"
  std::string title;  ///< in tables: "min NLL"
};

/// Adding a kind is one source with a function that returns one of these, and its name in `experiment_kinds`.
struct ExperimentKind {
  std::string name;
  std::vector<std::string> values;        ///< what a row keeps of a run
  std::vector<ExperimentMetric> metrics;  ///< what a report shows; smaller is better
  bool over_all = false;                  ///< whether a report has a line for the runs of all problems together
  std::vector<std::string> curve = {};    ///< values that show a run's course, evenly from its start to its end
  std::string curve_title = {};           ///< what they are

  /// Throws ConfigError for a problem that does not exist.
  std::function<ProblemShape(const ExperimentSpec&, const std::string& problem)> shape;

  /// How many runs a problem has at most: the splits of a data set. Empty: as many as the experiment asks for.
  std::function<std::int64_t(const ExperimentSpec&, const std::string& problem)> most_runs = {};

  /// A text that tells the rows of a run from those of any other: the recipe of generated rows, or file digest and
  /// split. Cheap: called for every run of an experiment before any is drawn.
  std::function<std::string(const ExperimentSpec&, const std::string& problem, std::uint64_t seed)> recipe;

  /// The rows of a run. Called from several threads.
  std::function<RunData(const ExperimentSpec&, const ExperimentRun&)> draw;

  /// Fits and measures the runs of a piece, data[i] being the rows of runs[i]; one result each.
  std::function<std::vector<Measured>(const ExperimentSpec&, const Piece&, std::span<const RunData* const> data,
                                      Engine&, const Progress&)>
      measure;

  /// What only all finished runs of an experiment know together, worked into their rows before a report; empty:
  /// nothing.
  std::function<void(std::span<ResultRow* const>)> together = {};

  /// A metric over the runs of one method that are `ok`, on one problem or on all; nothing where they cannot tell.
  std::function<std::optional<Estimate>(const std::string& metric, std::span<const ResultRow* const>)> estimate;
};

/// All kinds, by name: "toy", "testbed", "uci", "solar", "bo".
[[nodiscard]] const std::vector<ExperimentKind>& experiment_kinds();

/// Throws ConfigError naming the nearest kind there is.
[[nodiscard]] const ExperimentKind& find_kind(const ExperimentSpec& spec);

/// Fits the training rows of all runs as they are, in one cohort, and predicts each one's test rows: what kinds without
/// scaling and calibration measure. `measure` gets the member's mean, sigma and the targets; a run whose numbers it
/// refuses (DataError) is degenerate.
[[nodiscard]] std::vector<Measured> fit_and_measure(
    const Piece& piece, std::span<const RunData* const> data, std::size_t values, Engine& engine,
    const Progress& progress,
    const std::function<std::vector<double>(std::span<const double> mean, std::span<const double> sigma,
                                            std::span<const double> target)>& measure);

}  // namespace nomu
