#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "data/row_weights.hpp"
#include "models/fit/fit_plan.hpp"
#include "models/fit/noise_and_scale.hpp"
#include "nomu/core/error.hpp"
#include "nomu/models/preset.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "models/model";
constexpr std::size_t enough_for_noise = 100;  ///< with fewer rows, noise cannot be told from the function
constexpr std::size_t enough_for_nomu = 30;    ///< NOMU without noise fares worse with fewer rows already

bool is_keyword(std::string_view noise) {
  constexpr std::array<std::string_view, 4> keywords{"auto", "none", "learned", "known"};
  return std::ranges::find(keywords, noise) != keywords.end();
}

/// The paper's presets say themselves what they do about noise. A network of any other that takes noise for the
/// function memorises its rows, and its sigma is next to nothing compared with its errors.
bool leaves_noise_open(std::string_view preset) { return preset == "auto" || preset == "interactive"; }

std::size_t fewest_for_noise(const MethodSpec& spec) {
  return std::holds_alternative<NomuSpec>(spec) ? enough_for_nomu : enough_for_noise;
}

/// What is known about the noise besides the request.
struct NoiseFacts {
  std::size_t rows = 0;
  bool given = false;                ///< the rows have their standard deviations
  bool mean_given = false;           ///< the mean is that of a network which was trained elsewhere
  std::optional<bool> present = {};  ///< whether there is any, if the user said so
};

/// How the noise is treated, as a word of `set_noise`; empty: as the preset says.
std::string_view decided_noise(const FitRequest& request, const MethodSpec& preset, const NoiseFacts& facts) {
  if (request.noise != "auto") return is_keyword(request.noise) ? std::string_view(request.noise) : "known";
  if (facts.given) return "known";
  if (facts.mean_given && facts.rows < enough_for_noise) return "none";
  if (!leaves_noise_open(request.preset)) return {};
  if (facts.present) return *facts.present ? "learned" : "none";
  return facts.rows >= fewest_for_noise(preset) && can_learn_noise(preset) ? "learned" : "";
}

/// The preset of the method with its treatment of noise; settings are applied later.
MethodSpec preset_of(const FitRequest& request, std::size_t cols, const NoiseFacts& facts) {
  MethodSpec spec = method_preset(request.method, request.preset, cols);
  const std::string_view noise = decided_noise(request, spec, facts);
  if (!noise.empty()) set_noise(spec, noise);
  return spec;
}

/// Sets the calibration and level that the request names, if any.
void set_calibration(CalibrationSpec& spec, const FitRequest& request) {
  Fields fields("fit");
  fields.add_nested("calibration", fields_of(spec));
  if (!request.calibration.empty()) fields.set_text("calibration.kind", request.calibration);
  if (request.level) spec.level = *request.level;  // checked on use, with a better message
  const auto sets_level = [](const Setting& setting) { return setting.name == "calibration.level"; };
  spec.level_asked = request.level.has_value() || std::ranges::any_of(request.settings, sets_level);
}

}  // namespace

void check_targets(const DataSet& data, const TargetRange& range) {
  if (range.unlimited()) return;
  if (!(range.low < range.high)) {
    throw DataError(where, fmt::format("the range of the target must be two numbers, the smaller first, got {} and {}",
                                       range.low, range.high));
  }
  const auto beyond = std::ranges::find_if(data.targets, [&](double y) { return !range.contains(y); });
  if (beyond == data.targets.end()) return;
  throw DataError(where, fmt::format("the target of row {} (counted from 0) is {}, which is not in its range {} to {}",
                                     beyond - data.targets.begin(), *beyond, range.low, range.high));
}

MethodSpec method_of(const FitRequest& request, std::size_t rows, std::size_t cols) {
  MethodSpec spec = preset_of(request, cols, {.rows = rows});
  apply_settings(fields_of(spec), request.settings);
  return spec;
}

MethodSpec method_given_noise(const FitRequest& request, bool noisy, std::size_t cols) {
  MethodSpec spec = preset_of(request, cols, {.present = noisy});
  apply_settings(fields_of(spec), request.settings);
  return spec;
}

FitSpec spec_of(const FitRequest& request, const DataSet& rows, bool mean_given) {
  if (!is_keyword(request.noise) && request.noise != rows.noise_name) {
    throw ConfigError(where, fmt::format("noise must be auto, none, learned, known or a column of the table, got '{}'",
                                         request.noise));
  }
  FitSpec spec;
  spec.method =
      preset_of(request, rows.cols(), {.rows = rows.rows(), .given = !rows.noise.empty(), .mean_given = mean_given});
  const Fields fields = fields_of(spec);
  apply_settings(fields, request.settings);
  set_calibration(spec.calibration, request);
  const CalibrationChoice kind = spec.calibration.kind;
  if (!rows.strata.empty() && kind != CalibrationChoice::automatic && kind != CalibrationChoice::conformal) {
    throw ConfigError(where,
                      fmt::format("{} needs conformal bounds: leave the calibration to auto, or choose conformal",
                                  request.columns.words.coverage_by));
  }
  if (request.seed) fields.set("seed", *request.seed);
  return spec;
}

FitSpec resolve(const FitRequest& request, const DataSet& given) {
  const DataSet rows = weighed_rows(given);
  return plan_fit(spec_of(request, rows), rows).spec;
}

DataSet rows_of(const FitRequest& request, const Table& table) {
  DatasetOptions columns = request.columns;
  if (!request.target.empty()) columns.target = request.target;
  if (!is_keyword(request.noise)) columns.noise = request.noise;
  if (!request.range.unlimited()) columns.range = request.range;
  if (!request.coverage_by.empty()) columns.coverage_by = request.coverage_by;
  return make_dataset(table, columns);
}

DataSet calibration_rows_of(const FitRequest& request, const DataSet& rows, const Table& table) {
  DatasetOptions columns = request.columns;
  columns.target = rows.target_name;
  columns.noise = rows.noise_name;
  columns.coverage_by = rows.strata_name;
  columns.range = rows.range;
  columns.min_rows = 1;
  return make_dataset(table, rows.features, columns);
}

DataSet rows_to_fit(const FitRequest& request, const DataSet& rows) {
  DataSet limited = weighed_rows(rows);
  if (request.range.unlimited() || rows.range == request.range) return limited;
  limited.range = request.range;
  check_targets(limited, limited.range);
  return limited;
}

Model fit(const FitRequest& request, const DataSet& rows, std::shared_ptr<Engine> engine, const Progress& progress) {
  const DataSet used = rows_to_fit(request, rows);
  return fit(spec_of(request, used), used, std::move(engine), progress);
}

Model fit(const FitRequest& request, const Table& table, std::shared_ptr<Engine> engine, const Progress& progress) {
  return fit(request, rows_of(request, table), std::move(engine), progress);
}

Model fit(const FitRequest& request, const Table& table, const Table& calibration_rows, std::shared_ptr<Engine> engine,
          const Progress& progress) {
  const DataSet rows = rows_of(request, table);
  return fit(spec_of(request, rows), rows, calibration_rows_of(request, rows, calibration_rows), std::move(engine),
             progress);
}

Model calibrated(const Model& model, const DataSet& rows, const FitRequest& request) {
  CalibrationSpec spec = model.spec().calibration;
  spec.kind = CalibrationChoice::automatic;
  set_calibration(spec, request);
  return calibrated(model, rows, spec);
}

}  // namespace nomu
