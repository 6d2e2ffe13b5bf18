#include "models/fit/model_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>
#include <vector>

#include "nomu/core/error.hpp"

namespace nomu {
namespace {

[[noreturn]] void refuse(std::string_view what) {
  throw DataError("models/model", fmt::format("damaged model: {}", what));
}

bool is_scaling(const Scaling& scaling, std::size_t cols) {
  const auto finite = [](double value) { return std::isfinite(value); };
  const auto positive = [](double value) { return std::isfinite(value) && value > 0.0; };
  return scaling.shift.size() == cols && scaling.factor.size() == cols && std::ranges::all_of(scaling.shift, finite) &&
         std::ranges::all_of(scaling.factor, positive) && std::isfinite(scaling.reach) && scaling.reach >= 0.0 &&
         (scaling.straight == 0.0 || (0.0 < scaling.straight && scaling.straight < scaling.reach));
}

bool is_warp(const Warp& warp) { return std::isfinite(warp.centre) && std::isfinite(warp.scale) && warp.scale >= 0.0; }

/// Number of inputs that the columns of a table become.
std::size_t encoded_width(const DataSet& data) {
  std::size_t width = 0;
  for (const FeatureColumn& feature : data.features) width += input_count(feature);
  return width;
}

/// Rows are listed once each: what is done for all of them takes memory in proportion to the data.
void check_row_list(std::span<const std::size_t> list, std::size_t rows) {
  std::vector<bool> listed(rows, false);
  for (const std::size_t row : list) {
    if (row >= rows) refuse("it refers to a row that the data do not have");
    if (listed[row]) refuse("it lists a row twice");
    listed[row] = true;
  }
}

}  // namespace

void check_parts(const ModelParts& parts, const FittedCohort& fitted) {
  check_dataset(parts.data);
  check_calibration(parts.calibration);
  if (parts.scalings.empty() || parts.scalings.size() != fitted.members())
    refuse("there is not one scaling per member");
  for (const MemberScaling& scaling : parts.scalings) {
    if (!is_scaling(scaling.inputs, parts.data.cols()) || !is_scaling(scaling.target, 1) || !is_warp(scaling.warp))
      refuse("an impossible scaling");
  }
  if (encoded_width(parts.data) != parts.data.cols()) refuse("the columns do not match the inputs");
  if (fitted.reports().size() != fitted.members()) refuse("there is not one report per member");
  if (parts.fitted_rows.empty()) refuse("it learned from no rows");
  check_row_list(parts.fitted_rows, parts.data.rows());
  check_row_list(parts.held_out.rows, parts.data.rows());
  const bool cross = parts.calibration.kind == CalibrationKind::cross_conformal;
  if (cross && *std::ranges::max_element(parts.calibration.score_folds) + 2 != fitted.members()) {
    refuse("there is not one fold model per fold");
  }
}

}  // namespace nomu
