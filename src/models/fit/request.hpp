#pragma once
// From a request to a spec, and from a spec to all that is decided before anything is trained.

#include "models/fit/calibration_plan.hpp"
#include "nomu/models/request.hpp"

namespace nomu {

/// The request as a spec; what is left to be chosen stays open.
[[nodiscard]] FitSpec spec_of(const FitRequest& request, const DataSet& rows);

/// What a fit of these rows is made with, and which of them calibrate it.
struct FitPlan {
  FitSpec spec;  ///< nothing is left to be chosen
  CalibrationPlan calibration;
};

/// The one place where defaults that depend on the rows are decided. Throws as `fit`.
[[nodiscard]] FitPlan plan_fit(const FitSpec& spec, const DataSet& rows);

}  // namespace nomu
