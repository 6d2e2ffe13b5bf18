#include "models/fit/fit_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/utf8.hpp"
#include "nomu/core/error.hpp"
#include "nomu/models/preset.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "models/model";
constexpr std::size_t fewest_rows = 4;

void check_trainable(const DataSet& data) {
  check_dataset(data);
  if (data.rows() < fewest_rows) {
    throw DataError(where, fmt::format("{} rows, but at least {} are needed", data.rows(), fewest_rows));
  }
  const bool varies = std::ranges::any_of(data.targets, [&](double y) { return y != data.targets.front(); });
  if (!varies) {
    throw DataError(where, fmt::format("the target '{}' is {} in all {} rows; there is nothing to learn",
                                       data.target_name, data.targets.front(), data.rows()));
  }
}

/// Names are stored in archives, whose text is UTF-8; better to fail now than after the fit.
void check_names(const DataSet& data) {
  std::vector<std::string> names = data.input_names;
  names.push_back(data.target_name);
  names.push_back(data.noise_name);
  for (const std::string& name : names) {
    if (!is_utf8(name)) {
      throw DataError(where, fmt::format("the name '{}' is not UTF-8 text; save the table as UTF-8", name));
    }
  }
}

}  // namespace

FitPlan plan_fit(const FitSpec& given, const DataSet& rows) {
  check_trainable(rows);
  check_names(rows);
  FitPlan plan{.spec = given,
               .calibration = plan_calibration(given.calibration, rows, static_cast<std::uint64_t>(given.seed))};
  plan.spec.method = resolved_for(given.method, rows.rows(), rows.cols());
  const ScaleChoice scale = wants_cube(given.method) ? ScaleChoice::min_max : ScaleChoice::standardise;
  if (given.scale_inputs == ScaleChoice::automatic)
    plan.spec.scale_inputs = reads_images(given.method) ? ScaleChoice::together : scale;
  if (given.scale_target == ScaleChoice::automatic) plan.spec.scale_target = scale;
  plan.spec.calibration.kind = plan.calibration.kind;
  return plan;
}

}  // namespace nomu
