#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "models/fit/calibration_plan.hpp"
#include "models/fit/fit_plan.hpp"
#include "models/fit/members.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/version.hpp"
#include "nomu/models/model.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "models/model";
void add_noise(PredictedRows& predicted, const DataSet& rows) {
  if (!rows.noise.empty()) predicted.sigma_noise = rows.noise;
}

void append(std::vector<double>& all, const std::vector<double>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

/// The members' predictions for the rows they have not seen; member `first` belongs to the first split. Predictions and
/// targets are in the units of the target or, if `warped`, on the scale that each member learned.
HeldOut predict_held_out(const CalibrationPlan& plan, const DataSet& data, const Members& members, std::size_t first,
                         bool warped) {
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
    if (!warped) {
      predicted = unwarped(std::move(predicted), members.scalings[first + k].warp);
    } else {
      parts[k].targets = members.scalings[first + k].warp.apply(parts[k].targets);
    }
    append(held.predicted.mean, predicted.mean);
    append(held.predicted.sigma_model, predicted.sigma_model);
    append(held.predicted.sigma_noise, predicted.sigma_noise);
    append(held.predicted.sigma_below, predicted.sigma_below);
    append(held.targets, parts[k].targets);
    held.rows.insert(held.rows.end(), plan.splits[k].test.begin(), plan.splits[k].test.end());
    held.strata.insert(held.strata.end(), parts[k].strata.begin(), parts[k].strata.end());
    if (plan.source == CalibrationSource::folds) held.folds.insert(held.folds.end(), parts[k].rows(), k);
  }
  return held;
}

std::vector<std::size_t> all_rows(std::size_t count) {
  std::vector<std::size_t> rows(count);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

/// The data sets of the first cohort: one per split, preceded by the full one if the fold models are kept.
std::vector<DataSet> first_cohort(const CalibrationPlan& plan, const DataSet& data) {
  std::vector<DataSet> sets;
  if (plan.cross() || plan.splits.empty()) sets.push_back(data);
  for (const Split& split : plan.splits) sets.push_back(subset(data, split.train));
  return sets;
}

/// Inputs and target of a row, for look-ups.
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
  throw DataError(where, fmt::format("all {} rows are among those the model learned from, where its errors are too "
                                     "small; calibrate on rows it has not seen",
                                     rows.rows()));
}

}  // namespace

Model fit_with(const FitSpec& given, const DataSet& data, const MemberFit& fit_all, std::shared_ptr<Engine> engine,
               const Progress& progress) {
  const auto [spec, plan] = plan_fit(given, data);
  if (!engine) engine = make_engine();
  ModelParts parts{.spec = spec, .data = data, .version = std::string(version())};
  parts.data.groups.clear();
  parts.data.times.clear();
  parts.data.strata.clear();
  parts.engine = engine->info();

  const std::vector<DataSet> sets = first_cohort(plan, data);
  Members members = fit_all(parts.spec, sets, *engine, progress);
  if (!plan.splits.empty()) {
    const std::size_t first = plan.cross() ? 1 : 0;
    parts.held_out = predict_held_out(plan, data, members, first, false);
    parts.calibration = calibrate(plan, predict_held_out(plan, data, members, first, true), spec.calibration.level);
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

Model fit(const FitSpec& spec, const DataSet& data, const DataSet& calibration_rows, std::shared_ptr<Engine> engine,
          const Progress& progress) {
  (void)plan_given(spec.calibration, calibration_rows);  // before the work, not after it
  FitSpec uncalibrated = spec;
  uncalibrated.calibration.kind = CalibrationChoice::none;
  return calibrated(fit(uncalibrated, data, std::move(engine), progress), calibration_rows, spec.calibration);
}

Model calibrated(const Model& model, const DataSet& rows, const CalibrationSpec& spec) {
  check_dataset(rows);
  const CalibrationPlan plan = plan_given(spec, rows);
  CalibrationSpec settled = spec;
  settled.kind = plan.kind;
  if (plan.kind == CalibrationChoice::none) return model.with_calibration({}, {}, settled);
  refuse_training_rows(model, rows);
  const HeldOut warped{.source = plan.source,
                       .predicted = model.predict_warped(rows.inputs, rows.noise),
                       .targets = model.warp().apply(rows.targets)};
  const HeldOut held{.source = plan.source,
                     .predicted = unwarped(warped.predicted, model.warp()),
                     .targets = rows.targets,
                     .strata = rows.strata};
  return model.with_calibration(calibrate(plan, warped, spec.level), held, settled);
}

}  // namespace nomu
