#pragma once
/// What differs between the kinds of experiments, as one struct of functions per kind: the rows of a run, how a cohort
/// of runs is fitted and measured, and how runs are summarised. The runner does expansion, packing, storing and
/// reporting.

#include <cstddef>
#include <cstdint>
#include <filesystem>
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
  DataSet validation;  ///< empty if the kind of experiment needs none
  DataSet test;
};

/// Rows and input columns of a problem's training data, which specs may depend on.
struct ProblemShape {
  std::size_t rows = 0;
  std::size_t cols = 0;

  friend bool operator==(const ProblemShape&, const ProblemShape&) = default;
};

/// One run of a problem.
struct ExperimentRun {
  std::string problem;
  std::uint64_t seed = 0;               ///< seed of its rows, or the number of its split
  std::string fit_seed_of_method = {};  ///< see ExperimentMethod
  ResultKey key;

  /// Seed of everything random in the fit; differs between problems.
  [[nodiscard]] std::uint64_t fit_seed() const;
};

/// Runs of one method that are fitted as one cohort: same spec, same number of columns.
struct Piece {
  ExperimentMethod method;
  MethodSpec spec;
  std::vector<MethodSpec> candidates = {};  ///< what validation rows choose from instead of `spec`; empty: no search
  std::vector<ExperimentRun> runs;
  bool on_host = false;               ///< whether the method is fitted on the host, whatever the engine
  std::filesystem::path record = {};  ///< file in which kinds of long runs keep finished steps; empty: nowhere
};

/// The result of one run.
struct Measured {
  RunStatus status = RunStatus::ok;
  std::vector<double> values;  ///< one for each of `ExperimentKind::values`
};

/// A summary of many runs.
struct Estimate {
  double value = 0.0;
  Interval interval;  ///< 95 % confidence interval
};

/// A metric in a report.
struct ExperimentMetric {
  std::string name;   ///< in files: "min_nll"
  std::string title;  ///< in tables: "min NLL"
};

/// A new kind is one source file with a function that returns one of these, plus an entry in `experiment_kinds`.
struct ExperimentKind {
  std::string name;
  std::vector<std::string> values;        ///< names of the numbers stored for each run
  std::vector<ExperimentMetric> metrics;  ///< shown in reports; smaller is better
  bool validates = false;                 ///< whether runs have validation rows, which a search needs
  bool over_all = false;                  ///< whether reports have a line for all problems together
  bool widths = false;                    ///< whether methods have several widths (MW), of which the best is ranked
  std::vector<std::string> curve = {};    ///< values at even intervals from a run's start to its end
  std::string curve_title = {};           ///< what the curve shows

  /// Throws ConfigError for a problem that does not exist.
  std::function<ProblemShape(const ExperimentSpec&, const std::string& problem)> shape;

  /// The most runs a problem can have: the splits of a data set. Empty: no limit.
  std::function<std::int64_t(const ExperimentSpec&, const std::string& problem)> most_runs = {};

  /// A text that identifies the rows of a run: the recipe of generated rows, or file digest and split. Must be cheap,
  /// because it is called for every run of an experiment before any rows are drawn.
  std::function<std::string(const ExperimentSpec&, const std::string& problem, std::uint64_t seed)> recipe;

  /// The rows of a run. Called from several threads.
  std::function<RunData(const ExperimentSpec&, const ExperimentRun&)> draw;

  /// Fits and measures the runs of a piece, data[i] being the rows of runs[i]; one result per run.
  std::function<std::vector<Measured>(const ExperimentSpec&, const Piece&, std::span<const RunData* const> data,
                                      Engine&, const Progress&)>
      measure;

  /// Updates the finished rows of an experiment before a report with what only all of them together can determine;
  /// empty: nothing to update.
  std::function<void(std::span<ResultRow* const>)> update_rows = {};

  /// A metric over the `ok` runs of one method, on one problem or on all; empty if it cannot be estimated.
  std::function<std::optional<Estimate>(const std::string& metric, std::span<const ResultRow* const>)> estimate;
};

/// All kinds, by name: "toy", "testbed", "uci", "solar", "bo".
[[nodiscard]] const std::vector<ExperimentKind>& experiment_kinds();

/// Throws ConfigError naming the nearest known kind.
[[nodiscard]] const ExperimentKind& find_kind(const ExperimentSpec& spec);

/// Fits the training rows of all runs unscaled, in one cohort, and predicts their test rows: what kinds without scaling
/// and calibration do. `measure` gets a member's mean, sigma and targets; a run for which it throws DataError is
/// degenerate.
[[nodiscard]] std::vector<Measured> fit_and_measure(
    const Piece& piece, std::span<const RunData* const> data, std::size_t values, Engine& engine,
    const Progress& progress,
    const std::function<std::vector<double>(std::span<const double> mean, std::span<const double> sigma,
                                            std::span<const double> target)>& measure);

}  // namespace nomu
