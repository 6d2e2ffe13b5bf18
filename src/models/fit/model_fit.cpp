#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "core/utf8.hpp"
#include "models/fit/calibration_plan.hpp"
#include "models/fit/members.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/version.hpp"
#include "nomu/models/model.hpp"
#include "nomu/models/preset.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "models/model";
constexpr std::size_t fewest_rows = 4;

void check_trainable(const DataSet& data) {
  check_dataset(data);
  if (data.rows() < fewest_rows) {
    throw DataError(where, fmt::format("{} rows, at least {} are needed", data.rows(), fewest_rows));
  }
  const bool varies = std::ranges::any_of(data.targets, [&](double y) { return y != data.targets.front(); });
  if (!varies) {
    throw DataError(where, fmt::format("the target '{}' is {} in all {} rows; there is nothing to learn",
                                       data.target_name, data.targets.front(), data.rows()));
  }
}

/// Names go into archives, whose text is UTF-8; better to hear of it now than after the fit.
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

void add_noise(PredictedRows& predicted, const DataSet& rows) {
  if (!rows.noise.empty()) predicted.sigma_noise = rows.noise;
}

void append(std::vector<double>& all, const std::vector<double>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

/// What the members predict for the rows they have not seen; member `first` belongs to the first split.
HeldOut predict_held_out(const CalibrationPlan& plan, const DataSet& data, const Members& members, std::size_t first) {
  HeldOut held{.source = plan.source, .split = plan.split, .refitted = plan.refit};
  std::vector<DataSet> parts;
  std::vector<std::vector<double>> x(members.scalings.size());
  for (std::size_t k = 0; k < plan.splits.size(); ++k) {
    parts.push_back(subset(data, plan.splits[k].test));
    x[first + k] = parts[k].inputs;
  }
  std::vector<PredictedRows> each = predict_each(*members.fitted, members.scalings, x);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    PredictedRows& predicted = each[first + k];
    add_noise(predicted, parts[k]);
    append(held.predicted.mean, predicted.mean);
    append(held.predicted.sigma_model, predicted.sigma_model);
    append(held.predicted.sigma_noise, predicted.sigma_noise);
    append(held.predicted.sigma_below, predicted.sigma_below);
    append(held.targets, parts[k].targets);
    held.rows.insert(held.rows.end(), plan.splits[k].test.begin(), plan.splits[k].test.end());
    if (plan.source == CalibrationSource::folds) held.folds.insert(held.folds.end(), parts[k].rows(), k);
  }
  return held;
}

std::vector<std::size_t> all_rows(std::size_t count) {
  std::vector<std::size_t> rows(count);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

/// The data sets of the first cohort: one per split, after the full one where the fold models stay.
std::vector<DataSet> first_cohort(const CalibrationPlan& plan, const DataSet& data) {
  std::vector<DataSet> sets;
  if (plan.cross() || plan.splits.empty()) sets.push_back(data);
  for (const Split& split : plan.splits) sets.push_back(subset(data, split.train));
  return sets;
}

/// Rows in a form that can be looked up.
std::vector<double> key_of(const DataSet& data, std::size_t row) {
  std::vector<double> key(data.row(row).begin(), data.row(row).end());
  key.push_back(data.targets[row]);
  return key;
}

void refuse_training_rows(const Model& model, const DataSet& rows) {
  std::set<std::vector<double>> known;
  for (const std::size_t i : model.parts().fitted_rows) known.insert(key_of(model.data(), i));
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    if (!known.contains(key_of(rows, i))) return;
  }
  throw DataError(where, fmt::format("all {} rows are among those the model learned from, where it is sure of itself; "
                                     "calibrate on rows it has not seen",
                                     rows.rows()));
}

}  // namespace

Model fit_with(const FitSpec& given, const DataSet& data, const MemberFit& fit_all, std::shared_ptr<Engine> engine,
               const Progress& progress) {
  check_trainable(data);
  check_names(data);
  ModelParts parts{.spec = given, .data = data, .version = std::string(version())};
  parts.spec.method = resolved_for(given.method, data.rows(), data.cols());
  const ScaleChoice scale = wants_cube(given.method) ? ScaleChoice::min_max : ScaleChoice::standardise;
  if (given.scale_inputs == ScaleChoice::automatic)
    parts.spec.scale_inputs = reads_images(given.method) ? ScaleChoice::together : scale;
  if (given.scale_target == ScaleChoice::automatic) parts.spec.scale_target = scale;
  parts.data.groups.clear();
  parts.data.times.clear();
  const CalibrationPlan plan = plan_calibration(given.calibration, data, static_cast<std::uint64_t>(given.seed));
  parts.spec.calibration.kind = plan.kind;
  if (!engine) engine = make_engine();
  parts.engine = engine->info();

  const std::vector<DataSet> sets = first_cohort(plan, data);
  Members members = fit_all(parts.spec, sets, *engine, progress);
  if (!plan.splits.empty()) {
    parts.held_out = predict_held_out(plan, data, members, plan.cross() ? 1 : 0);
    parts.calibration = calibrate(plan, parts.held_out, given.calibration.level);
  }
  if (plan.refit) members = fit_all(parts.spec, {&data, 1}, *engine, progress);
  const bool sees_all = plan.refit || plan.cross() || plan.splits.empty();
  parts.fitted_rows = sees_all ? all_rows(data.rows()) : plan.splits.front().train;
  parts.scalings = std::move(members.scalings);
  return {std::move(parts), std::move(members.fitted), std::move(engine)};
}

Model fit(const FitSpec& spec, const DataSet& data, std::shared_ptr<Engine> engine, const Progress& progress) {
  const auto fit_all = [](const FitSpec& settled, std::span<const DataSet> sets, Engine& on, const Progress& told) {
    return fit_members(settled, sets, on, told);
  };
  return fit_with(spec, data, fit_all, std::move(engine), progress);
}

Model fit(const MethodSpec& method, const DataSet& data, std::shared_ptr<Engine> engine, const Progress& progress) {
  return fit(FitSpec{.method = method}, data, std::move(engine), progress);
}

Model fit(const FitSpec& spec, const DataSet& data, const DataSet& calibration_rows, std::shared_ptr<Engine> engine,
          const Progress& progress) {
  (void)plan_given(spec.calibration, calibration_rows.rows());  // before the work, not after it
  FitSpec uncalibrated = spec;
  uncalibrated.calibration.kind = CalibrationChoice::none;
  return calibrated(fit(uncalibrated, data, std::move(engine), progress), calibration_rows, spec.calibration);
}

Model calibrated(const Model& model, const DataSet& rows, const CalibrationSpec& spec) {
  check_dataset(rows);
  const CalibrationPlan plan = plan_given(spec, rows.rows());
  CalibrationSpec settled = spec;
  settled.kind = plan.kind;
  if (plan.kind == CalibrationChoice::none) return model.with_calibration({}, {}, settled);
  refuse_training_rows(model, rows);
  const HeldOut held{
      .source = plan.source, .predicted = model.predict(rows.inputs, rows.noise), .targets = rows.targets};
  return model.with_calibration(calibrate(plan, held, spec.level), held, settled);
}

}  // namespace nomu
