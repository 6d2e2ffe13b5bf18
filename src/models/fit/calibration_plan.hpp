#pragma once
// The calibration policy: which rows a calibration learns from, decided before any work is done. The rule and its
// reasons are in docs/decisions/0008-calibration-policy.md.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "nomu/data/split.hpp"
#include "nomu/models/model.hpp"

namespace nomu {

struct CalibrationPlan {
  CalibrationChoice kind = CalibrationChoice::none;  ///< never automatic
  CalibrationSource source = CalibrationSource::none;
  HeldOutSplit split = HeldOutSplit::none;       ///< how the rows were split, as in HeldOut
  std::vector<Split> splits;                     ///< one per calibration fit; none: nothing is held out
  bool refit = false;                            ///< train once more on all rows
  CalibrationUnit unit = CalibrationUnit::rows;  ///< which new rows the claim is about
  Units units;                                   ///< of all rows, or of those given for calibration
  std::vector<std::string> strata;               ///< [n], the stratum of each of these rows; empty: none

  /// The fold models are kept with the model, because its bounds come from them.
  [[nodiscard]] bool cross() const {
    return kind == CalibrationChoice::conformal && source == CalibrationSource::folds;
  }
};

/// Throws ConfigError for a level that the rows cannot support, DataError if groups or times cannot be split.
[[nodiscard]] CalibrationPlan plan_calibration(const CalibrationSpec& spec, const DataSet& data, std::uint64_t seed);

/// For rows that are used only for calibration.
[[nodiscard]] CalibrationPlan plan_given(const CalibrationSpec& spec, const DataSet& rows);

/// The calibration that the plan's kind learns from held-out rows.
[[nodiscard]] Calibration calibrate(const CalibrationPlan& plan, const HeldOut& held_out, double level);

}  // namespace nomu
