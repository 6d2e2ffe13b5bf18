#pragma once
/// Lower and upper uncertainty bounds for the rows of one data set. They come from a calibration, which determines the
/// levels they can claim, and are asymmetric where the model's uncertainty is.

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "nomu/core/prediction.hpp"
#include "nomu/eval/calibration.hpp"

namespace nomu {

/// In the units of the target, [q] each.
struct Bounds {
  std::vector<double> lower;
  std::vector<double> upper;

  [[nodiscard]] std::size_t rows() const { return lower.size(); }
};

/// Central bounds of a level; those of a lower level lie within them. Throws ConfigError when the calibration does not
/// support the level, DataError when sizes do not match or a number is not finite. `strata` names each row's stratum,
/// [q], where the calibration has strata: `stratum_claims` says what each name gets, and an unknown one (or none)
/// gets the widest bounds.
[[nodiscard]] Bounds make_bounds(const PredictedRows& rows, const Calibration& calibration, double level,
                                 std::span<const std::string> strata = {});

/// The same for one member of a prediction.
[[nodiscard]] Bounds make_bounds(const Prediction& prediction, std::size_t member, const Calibration& calibration,
                                 double level);

/// The paper's UB_c: mean -+ calibrated sigma. Claims no level, so any calibration will do.
[[nodiscard]] Bounds make_bounds(const PredictedRows& rows, const Calibration& calibration);

/// CV+ bounds (jackknife+ with one row per fold) of a level: `fold_models[k]` holds the predictions for the same q rows
/// by the model fitted without fold k. Throws ConfigError when the calibration is of another kind or has too few rows
/// for the level, DataError when there is not one prediction per fold or sizes differ. If fold models learned on scales
/// of their own, `back` must map (fold, value) to the target, increasing in the value. Strata as above. Where the two
/// ends would cross, at low levels, the bounds are those of the lowest level at which they do not.
[[nodiscard]] Bounds cross_bounds(std::span<const PredictedRows> fold_models, const Calibration& calibration,
                                  double level, const std::function<double(std::size_t, double)>& back = {},
                                  std::span<const std::string> strata = {});

/// The same with the fold models as the members of one prediction, [K][q][1].
[[nodiscard]] Bounds cross_bounds(const Prediction& fold_models, const Calibration& calibration, double level);

}  // namespace nomu
