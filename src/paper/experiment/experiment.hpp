#pragma once
/// An experiment as data: which methods run on which problems how often, read from a TOML file. `[smoke]` holds what
/// the small profile changes; a sweep is a `grid` of a method, never a copied file.

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
  std::string name;                   ///< "nomu", "gp-converged": for --methods, and in rows
  std::string title;                  ///< for tables and pictures
  std::string paper;                  ///< its name in the expected numbers; empty: the paper has none
  std::string method = "nomu";        ///< see `method_named`
  std::string preset = "published";   ///< see `method_preset`
  std::vector<std::string> problems;  ///< it is run on; empty: all of the experiment
  std::string protocol;               ///< how it is calibrated and judged, where a kind of experiment knows several
  std::int64_t cohort = 200;          ///< runs trained in lock step on a GPU
  std::int64_t cohort_cpu = 8;        ///< the same elsewhere
  std::vector<std::pair<std::string, FieldValue>> settings;  ///< changes to the preset, in order

  /// The spec for problems of so many rows and input columns. A setting may be the text "100 d": so many times the
  /// columns. Throws ConfigError naming the experiment's method and the setting.
  [[nodiscard]] MethodSpec spec(std::size_t rows, std::size_t cols) const;
};

/// `nomu reproduce` runs it; see experiment_kind for what the kinds make of these.
struct ExperimentSpec {
  std::string name;  ///< that of its file
  std::string title;
  std::string kind;   ///< see `experiment_kinds`
  std::string paper;  ///< which tables of the paper it is about
  std::vector<std::string> problems;
  std::vector<std::string> beside;  ///< of them, those that the line for all problems leaves out
  bool whole = true;                ///< no other problem was left out: runs of all may be put beside the paper's
  std::int64_t dimension = 1;       ///< of problems that do not say themselves
  std::int64_t rows = 8;
  std::int64_t test_rows = 100;
  bool rows_per_input = false;  ///< rows and test_rows are meant for each input column
  std::string inputs = "uniform";
  std::string protocol;  ///< of methods that do not say themselves
  std::int64_t first_seed = 501;
  std::int64_t runs = 500;
  std::int64_t results_version = 1;
  std::int64_t decimals = 2;          ///< of the paper's numbers
  std::vector<std::int64_t> network;  ///< hidden widths of functions that are networks; empty: the paper's
  std::vector<ExperimentMethod> methods;
  std::filesystem::path expected;  ///< file of the paper's numbers; empty: none
  std::filesystem::path data;      ///< folder of data files; no part of any key
};

enum class ExperimentProfile {
  smoke,  ///< seconds on two cores, run by the tests; its numbers mean nothing
  full    ///< the paper's sizes
};

/// Throws ConfigError naming file, line and the nearest key there is.
[[nodiscard]] ExperimentSpec read_experiment(const std::filesystem::path& file, ExperimentProfile profile);

/// Part of an experiment: methods and problems by name, so many runs; what is empty or 0 stays whole.
struct ExperimentPart {
  std::vector<std::string> methods;  ///< "nomu" also means the sweep "nomu/..."
  std::vector<std::string> problems;
  std::int64_t runs = 0;
};

/// Throws ConfigError naming the nearest method or problem there is.
void restrict_to(ExperimentSpec& spec, const ExperimentPart& part);

/// The experiment files of a folder, by name.
[[nodiscard]] std::vector<std::filesystem::path> list_experiments(const std::filesystem::path& folder);

}  // namespace nomu
