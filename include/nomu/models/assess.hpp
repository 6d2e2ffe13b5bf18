#pragma once
/// Judging a fitted model: metrics on rows with a known target, and the desiderata of the paper.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "nomu/core/progress.hpp"
#include "nomu/eval/desiderata.hpp"
#include "nomu/eval/metrics.hpp"
#include "nomu/eval/statistics.hpp"
#include "nomu/models/model.hpp"

namespace nomu {

/// How good a model is on some rows.
struct Evaluation {
  MetricsReport metrics;    ///< of the calibrated standard deviations
  std::size_t outside = 0;  ///< rows outside the box of the training data
  double level = 0.0;       ///< of the bounds; 0: there are none, and the members below are empty
  double coverage = 0.0;
  double mean_width = 0.0;
  double interval_score = 0.0;
  std::optional<Interval> expected = {};  ///< range of the coverage in 19 cases of 20; split conformal only
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
