#pragma once
// From a request to a spec, and from a spec to everything that is decided before training.

#include "models/fit/calibration_plan.hpp"
#include "nomu/models/request.hpp"

namespace nomu {

/// The request as a spec, with noise = auto decided; other automatic choices stay open. `mean_given`: the mean is that
/// of a network which was trained elsewhere.
[[nodiscard]] FitSpec spec_of(const FitRequest& request, const DataSet& rows, bool mean_given = false);

/// The rows that count, with weights whose mean is 1 and the range of their target that the request names. Throws
/// DataError for targets beyond it.
[[nodiscard]] DataSet rows_to_fit(const FitRequest& request, const DataSet& rows);

/// Throws DataError for targets beyond the range, and for a range without values.
void check_targets(const DataSet& data, const TargetRange& range);

/// Throws before the training what `calibrated` would throw after it, for a model that learns from all of `learned`:
/// for too few rows, for targets beyond the range, and for rows that are all among those learned from.
void check_calibration_rows(const CalibrationSpec& spec, const DataSet& learned, const DataSet& rows);

/// The rows of another table for calibration, encoded as `rows` are.
[[nodiscard]] DataSet calibration_rows_of(const FitRequest& request, const DataSet& rows, const Table& table);

/// The spec for a fit of these rows, and which of them calibrate it.
struct FitPlan {
  FitSpec spec;  ///< with all automatic choices made
  CalibrationPlan calibration;
};

/// Makes all remaining choices, for requests and typed specs alike. Throws like `fit`.
[[nodiscard]] FitPlan plan_fit(const FitSpec& spec, const DataSet& rows);

}  // namespace nomu
