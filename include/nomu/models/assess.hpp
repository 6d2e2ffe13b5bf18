#pragma once
/// Judging a fitted model: metrics on rows with a known target, and the desiderata of the paper.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nomu/core/progress.hpp"
#include "nomu/eval/desiderata.hpp"
#include "nomu/eval/metrics.hpp"
#include "nomu/eval/statistics.hpp"
#include "nomu/models/model.hpp"

namespace nomu {

/// How often the bounds held for the rows of one stratum.
struct StratumCoverage {
  std::string name;
  std::size_t rows = 0;
  double coverage = 0.0;
  double mean_width = 0.0;
  std::optional<Interval> expected = {};  ///< as in Evaluation; only if the bounds come from the stratum's own scores
};

/// How good a model is on some rows.
struct Evaluation {
  MetricsReport metrics;    ///< of the calibrated standard deviations
  std::size_t outside = 0;  ///< rows outside the box of the training data
  double level = 0.0;       ///< of the bounds; 0: there are none, and the members below are empty
  double coverage = 0.0;
  double mean_width = 0.0;
  double interval_score = 0.0;
  std::optional<Interval> expected =
      {};  ///< contains the coverage in 19 of 20 cases; only for split conformal bounds without strata
  std::vector<StratumCoverage> strata = {};  ///< sorted by name; empty if the bounds have no strata
};

/// How many of the rows equal, value by value, a row the model was made with; such rows prove little.
[[nodiscard]] std::size_t seen_rows(const Model& model, const DataSet& rows);

/// The metrics of the rows that the calibration learned from, as predicted by models that had not seen them; empty if
/// there are none.
[[nodiscard]] std::optional<MetricsReport> held_out_metrics(const Model& model);

/// Without a level the bounds are left out. Throws like `Model::bounds` and `measure`.
[[nodiscard]] Evaluation evaluate(const Model& model, const DataSet& rows, std::optional<double> level);

/// The same for existing predictions; `bounds` may be null.
[[nodiscard]] Evaluation evaluate(const Calibration& calibration, const PredictedRows& predicted,
                                  std::span<const double> targets, const Bounds* bounds, double level);

/// Coverage of each stratum; `strata` [q] names that of each row. Empty if the bounds have no strata.
[[nodiscard]] std::vector<StratumCoverage> coverage_by_stratum(const Calibration& calibration, const Bounds& bounds,
                                                               std::span<const double> targets,
                                                               std::span<const std::string> strata, double level);

/// The same as lines of a table, for human readers.
[[nodiscard]] std::string coverage_text(std::span<const StratumCoverage> strata);

/// How much the uncertainty of the predictions depends on one column.
struct UncertaintyDriver {
  std::string column;
  double change = 0.0;  ///< mean change of sigma when the column is shuffled, as a share of the larger sigma: 0 to 1
};

/// What a user should know about a model before trusting its bounds.
struct Trustworthiness {
  double seen_error = 0.0;                             ///< root mean square error of the rows it learned from
  double unseen_error = 0.0;                           ///< the same for rows that the predicting models had not seen
  std::size_t unseen = 0;                              ///< number of these rows
  CalibrationSource source = CalibrationSource::none;  ///< of these rows
  HeldOutSplit split = HeldOutSplit::none;             ///< how they differ from those it learned from
  double level = 0.0;                                  ///< of the bounds that are compared; 0: there are none
  /// Interval score of the bounds divided by that of bounds of constant width around the same mean, on unseen rows, and
  /// its standard error, by groups if there are groups. Below 1: the width of the bounds carries information.
  double ratio = 1.0;
  double ratio_error = 0.0;
  double constant_half_width = 0.0;  ///< of the bounds of constant width, calibrated on the same rows in the same way
  /// Width of the widest bounds of unseen rows divided by that of the median row; infinite if that has none.
  double widest = 1.0;
  std::vector<UncertaintyDriver> drivers = {};  ///< strongest first, at most three
};

/// Empty if there are no rows that the model or one of its fold models has not seen.
[[nodiscard]] std::optional<Trustworthiness> judge_trust(const Model& model);

/// The same in words, a line each: errors, what the bounds gain, what drives the uncertainty, and advice where the
/// bounds do no better than a constant width.
[[nodiscard]] std::vector<std::string> trust_lines(const Trustworthiness& trust);

/// Where and how densely `check_model` probes.
struct CheckSpec {
  double margin = 0.1;  ///< how far the probed box extends beyond the data, as a share of its width
  std::int64_t probes = 1000;
  std::int64_t seed = 0;
  bool refit = true;  ///< measure D5, which takes three fits of the method
};

/// The desiderata D1 to D5, measured; see `check_desiderata`.
[[nodiscard]] DesiderataReport check_model(const Model& model, const CheckSpec& spec = {},
                                           const Progress& progress = {});

}  // namespace nomu
