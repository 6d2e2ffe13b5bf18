#pragma once
/// An experiment as data: which methods run on which problems and how many times, read from a TOML file. `[smoke]`
/// holds the changes of the small profile; a sweep is a `grid` of a method, never a copied file.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nomu/core/fields.hpp"
#include "nomu/models/method.hpp"

namespace nomu {

/// One method with its settings: a column of the experiment's tables.
struct ExperimentMethod {
  std::string name;                   ///< "nomu", "gp-converged": used by --methods and in result rows
  std::string title;                  ///< for tables and plots
  std::string paper;                  ///< its name among the expected numbers; empty: not in the paper
  std::string method = "nomu";        ///< see `method_named`
  std::string preset = "published";   ///< see `method_preset`
  std::vector<std::string> problems;  ///< problems it is run on; empty: all of the experiment
  std::string protocol;               ///< how it is calibrated and scored, for kinds of experiments with several ways
  std::string fit_seed;               ///< number of another draw of all that is random in its fits; empty: the first
  std::int64_t cohort = 200;          ///< runs trained in lock step on a GPU
  std::int64_t cohort_cpu = 8;        ///< the same elsewhere
  std::vector<std::pair<std::string, FieldValue>> settings;  ///< changes to the preset, in order
  /// Settings with values that are tried; every run takes the combination that its validation rows prefer.
  std::vector<std::pair<std::string, std::vector<std::string>>> search = {};

  /// The method with every combination of the values tried, which are then settings; itself if none are.
  [[nodiscard]] std::vector<ExperimentMethod> combinations() const;

  /// The spec for problems with this many rows and input columns. A setting may be the text "100 d", which means 100
  /// times the columns. Throws ConfigError naming the experiment's method and the setting.
  [[nodiscard]] MethodSpec spec(std::size_t rows, std::size_t cols) const;
};

/// An experiment that `nomu reproduce` runs; see `ExperimentKind` for how each kind uses these.
struct ExperimentSpec {
  std::string name;  ///< the name of its file, without extension
  std::string title;
  std::string kind;   ///< see `experiment_kinds`
  std::string paper;  ///< the tables of the paper it reproduces
  std::vector<std::string> problems;
  std::vector<std::string> not_in_total;  ///< problems that the line for all problems leaves out
  bool all_problems = true;    ///< no other problem was left out, so the line for all compares with the paper's
  std::int64_t dimension = 1;  ///< of problems whose name does not give it
  std::int64_t rows = 8;
  std::int64_t test_rows = 100;
  bool rows_per_input = false;  ///< rows and test_rows are per input column
  std::string inputs = "uniform";
  std::string initial = "drawn";  ///< first points of optimisation runs: drawn from the seed, or the authors'
  std::int64_t optimum_evaluations = 20000;  ///< with which DIRECT looks for the optimum of functions without a formula
  std::string protocol;                      ///< of methods without their own
  std::int64_t first_seed = 501;
  std::int64_t runs = 500;
  std::vector<std::uint64_t> seeds;  ///< only these; empty: all of the runs
  std::int64_t results_version = 1;
  std::int64_t decimals = 2;          ///< of the paper's numbers
  std::vector<std::int64_t> network;  ///< hidden widths of functions that are networks; empty: the paper's
  std::vector<ExperimentMethod> methods;
  std::filesystem::path expected;  ///< file with the paper's numbers; empty: none
  std::filesystem::path data;      ///< folder of data files; not part of any key
};

enum class ExperimentProfile {
  smoke,  ///< takes seconds on two cores, for the tests; its numbers mean nothing
  full    ///< the paper's sizes
};

/// Throws ConfigError naming file and line, and for an unknown key the nearest known one.
[[nodiscard]] ExperimentSpec read_experiment(const std::filesystem::path& file, ExperimentProfile profile);

/// Part of an experiment: methods and problems by name, a number of runs, seeds. An empty list or 0 keeps all.
struct ExperimentPart {
  std::vector<std::string> methods;  ///< "nomu" includes the sweep "nomu/..."
  std::vector<std::string> problems;
  std::int64_t runs = 0;
  std::vector<std::uint64_t> seeds = {};
};

/// Throws ConfigError naming the nearest known method or problem, or a seed that is none of the experiment's.
void restrict_to(ExperimentSpec& spec, const ExperimentPart& part);

/// The experiment files in a folder, sorted by name.
[[nodiscard]] std::vector<std::filesystem::path> list_experiments(const std::filesystem::path& folder);

}  // namespace nomu
