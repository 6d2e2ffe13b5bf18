#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <utility>

#include "data/row_weights.hpp"
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
    if (plan.units.count < data.rows()) {
      for (const std::size_t row : plan.splits[k].test) held.units.push_back(plan.units.of_row[row]);
    }
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

void refuse_training_rows(const DataSet& data, std::span<const std::size_t> learned, const DataSet& rows) {
  const std::vector<double> first = row_key(rows, 0);
  // Mostly the first row is new already, and then no table of all rows is needed.
  if (std::ranges::none_of(learned, [&](std::size_t i) { return row_key(data, i) == first; })) return;
  std::set<std::vector<double>> known;
  for (const std::size_t i : learned) known.insert(row_key(data, i));
  for (std::size_t i = 1; i < rows.rows(); ++i) {
    if (!known.contains(row_key(rows, i))) return;
  }
  throw DataError(where, fmt::format("all {} rows are among those the model learned from, where its errors are too "
                                     "small; calibrate on rows it has not seen",
                                     rows.rows()));
}

/// Members of one cohort, `counts[t]` of them for the t-th of several models.
std::vector<Members> divided(Members all, std::span<const std::size_t> counts) {
  std::vector<Members> parts;
  if (counts.size() == 1) {
    parts.push_back(std::move(all));
    return parts;
  }
  std::size_t first = 0;
  for (const std::size_t count : counts) {
    std::vector<std::size_t> own(count);
    std::iota(own.begin(), own.end(), first);
    const auto begin = all.scalings.begin() + static_cast<std::ptrdiff_t>(first);
    parts.push_back(
        {.fitted = all.fitted->select(own), .scalings = {begin, begin + static_cast<std::ptrdiff_t>(count)}});
    first += count;
  }
  return parts;
}

/// What a model keeps of its rows.
ModelParts parts_for(const FitSpec& spec, const DataSet& data, const Engine& engine) {
  ModelParts parts{.spec = spec, .data = data, .version = std::string(version())};
  parts.data.groups.clear();
  parts.data.times.clear();
  parts.data.strata.clear();
  parts.engine = engine.info();
  return parts;
}

}  // namespace

std::vector<Model> fit_together(const FitSpec& given, std::span<const DataSet> data, const MemberFit& fit_all,
                                std::shared_ptr<Engine> engine, const Progress& progress) {
  std::vector<DataSet> weighed;
  if (std::ranges::any_of(data, [](const DataSet& one) { return !one.row_weight.empty(); })) {
    for (const DataSet& one : data) weighed.push_back(weighed_rows(one));
    data = weighed;
  }
  std::vector<FitPlan> plans;
  std::vector<DataSet> cohort;
  std::vector<std::size_t> counts;
  for (const DataSet& one : data) {
    plans.push_back(plan_fit(given, one));
    std::vector<DataSet> sets = first_cohort(plans.back().calibration, one);
    counts.push_back(sets.size());
    std::ranges::move(sets, std::back_inserter(cohort));
  }
  if (!engine) engine = make_engine();
  const FitSpec& spec = plans.front().spec;  // depends on the inputs alone
  std::vector<Members> members = divided(fit_all(spec, cohort, *engine, progress), counts);
  std::vector<ModelParts> parts;
  for (std::size_t t = 0; t < data.size(); ++t) {
    const CalibrationPlan& plan = plans[t].calibration;
    parts.push_back(parts_for(plans[t].spec, data[t], *engine));
    if (plan.splits.empty()) continue;
    const std::size_t first = plan.cross() ? 1 : 0;
    parts[t].held_out = predict_held_out(plan, data[t], members[t], first, false);
    parts[t].calibration =
        calibrate(plan, predict_held_out(plan, data[t], members[t], first, true), spec.calibration.level);
  }
  if (plans.front().calibration.refit) {
    const std::vector<std::size_t> one_each(data.size(), 1);
    members = divided(fit_all(spec, data, *engine, progress), one_each);
  }
  std::vector<Model> models;
  for (std::size_t t = 0; t < data.size(); ++t) {
    const CalibrationPlan& plan = plans[t].calibration;
    const bool sees_all = plan.refit || plan.cross() || plan.splits.empty();
    parts[t].fitted_rows = sees_all ? all_rows(data[t].rows()) : plan.splits.front().train;
    parts[t].scalings = std::move(members[t].scalings);
    models.emplace_back(std::move(parts[t]), std::move(members[t].fitted), engine);
  }
  return models;
}

std::vector<Model> fit_together(const FitSpec& spec, std::span<const DataSet> data, std::shared_ptr<Engine> engine,
                                const Progress& progress) {
  const auto fit_all = [](const FitSpec& settled, std::span<const DataSet> sets, Engine& on, const Progress& told) {
    return fit_members(settled, sets, on, told);
  };
  return fit_together(spec, data, fit_all, std::move(engine), progress);
}

Model fit_with(const FitSpec& spec, const DataSet& data, const MemberFit& fit_all, std::shared_ptr<Engine> engine,
               const Progress& progress) {
  return std::move(fit_together(spec, {&data, 1}, fit_all, std::move(engine), progress).front());
}

Model fit(const FitSpec& spec, const DataSet& data, std::shared_ptr<Engine> engine, const Progress& progress) {
  return std::move(fit_together(spec, {&data, 1}, std::move(engine), progress).front());
}

void check_calibration_rows(const CalibrationSpec& spec, const DataSet& learned, const DataSet& rows) {
  check_dataset(learned);
  check_dataset(rows);
  if (plan_given(spec, rows).kind == CalibrationChoice::none) return;
  check_targets(rows, learned.range);
  refuse_training_rows(learned, all_rows(learned.rows()), rows);
}

Model fit(const FitSpec& spec, const DataSet& data, const DataSet& calibration_rows, std::shared_ptr<Engine> engine,
          const Progress& progress) {
  check_calibration_rows(spec.calibration, data, calibration_rows);
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
  check_targets(rows, model.data().range);
  refuse_training_rows(model.data(), model.parts().fitted_rows, rows);
  const HeldOut warped{.source = plan.source,
                       .predicted = model.predict_warped(rows.inputs, rows.noise),
                       .targets = model.warp().apply(rows.targets)};
  const HeldOut held{.source = plan.source,
                     .predicted = unwarped(warped.predicted, model.warp()),
                     .targets = rows.targets,
                     .strata = rows.strata,
                     .units = plan.units.count < rows.rows() ? plan.units.of_row : std::vector<std::size_t>{}};
  return model.with_calibration(calibrate(plan, warped, spec.level), held, settled);
}

}  // namespace nomu
