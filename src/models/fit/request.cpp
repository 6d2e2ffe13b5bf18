#include "models/fit/request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/utf8.hpp"
#include "nomu/core/error.hpp"
#include "nomu/models/preset.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "models/model";
constexpr std::size_t fewest_rows = 4;
constexpr std::size_t enough_for_noise = 100;  ///< with fewer rows, noise cannot be told from the function

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

bool is_keyword(std::string_view noise) {
  constexpr std::array<std::string_view, 4> keywords{"auto", "none", "learned", "known"};
  return std::ranges::find(keywords, noise) != keywords.end();
}

/// The preset of the method with its treatment of noise; settings are applied later.
MethodSpec preset_of(const FitRequest& request, std::size_t rows, std::size_t cols, bool noise_known) {
  MethodSpec spec = method_preset(request.method, request.preset, cols);
  if (request.noise != "auto") {
    set_noise(spec, is_keyword(request.noise) ? request.noise : "known");
  } else if (noise_known) {
    set_noise(spec, "known");
  } else if (request.preset == "auto" && rows >= enough_for_noise && can_learn_noise(spec)) {
    set_noise(spec, "learned");  // other presets define their own treatment of noise
  }
  return spec;
}

}  // namespace

MethodSpec method_of(const FitRequest& request, std::size_t rows, std::size_t cols) {
  MethodSpec spec = preset_of(request, rows, cols, false);
  apply_settings(fields_of(spec), request.settings);
  return spec;
}

FitSpec spec_of(const FitRequest& request, const DataSet& rows) {
  FitSpec spec;
  spec.method = preset_of(request, rows.rows(), rows.cols(), !rows.noise.empty());
  const Fields fields = fields_of(spec);
  apply_settings(fields, request.settings);
  set_calibration(spec.calibration, request);
  if (request.seed) fields.set("seed", *request.seed);
  return spec;
}

void set_calibration(CalibrationSpec& spec, const FitRequest& request) {
  if (!request.calibration.empty()) fields_of(spec).set_text("kind", request.calibration);
  if (request.level) spec.level = *request.level;  // checked on use, with a better message
}

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

FitSpec resolve(const FitRequest& request, const DataSet& rows) { return plan_fit(spec_of(request, rows), rows).spec; }

DataSet rows_of(const FitRequest& request, const Table& table) {
  DatasetOptions columns = request.columns;
  if (!request.target.empty()) columns.target = request.target;
  if (!is_keyword(request.noise)) columns.noise = request.noise;
  return make_dataset(table, columns);
}

Model fit(const FitRequest& request, const DataSet& rows, std::shared_ptr<Engine> engine, const Progress& progress) {
  return fit(spec_of(request, rows), rows, std::move(engine), progress);
}

Model fit(const FitRequest& request, const Table& table, std::shared_ptr<Engine> engine, const Progress& progress) {
  return fit(request, rows_of(request, table), std::move(engine), progress);
}

Model fit(const FitRequest& request, const Table& table, const Table& calibration_rows, std::shared_ptr<Engine> engine,
          const Progress& progress) {
  const DataSet rows = rows_of(request, table);
  DatasetOptions columns = request.columns;
  columns.target = rows.target_name;
  columns.noise = rows.noise_name;
  columns.min_rows = 1;
  return fit(spec_of(request, rows), rows, make_dataset(calibration_rows, rows.features, columns), std::move(engine),
             progress);
}

}  // namespace nomu
