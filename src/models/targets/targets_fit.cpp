#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>

#include "models/fit/fit_plan.hpp"
#include "models/fit/members.hpp"
#include "models/targets/same_rows.hpp"
#include "nomu/core/error.hpp"
#include "nomu/models/targets.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "models/targets";

/// Errors over calibrated sigma on the scale that was learned, where bounds are made.
std::vector<double> scores_of(const Calibration& calibration, const PredictedRows& predicted,
                              std::span<const double> targets) {
  const CalibratedSigma sigma = calibrated_sigma(calibration, predicted);
  std::vector<double> scores;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const double error = targets[i] - predicted.mean[i];
    scores.push_back(std::abs(error) / (error < 0.0 ? sigma.below[i] : sigma.above[i]));
  }
  return scores;
}

std::vector<double> scores_at(const Model& model, const DataSet& rows) {
  return scores_of(model.calibration(), model.predict_warped(rows.inputs), model.warp().apply(rows.targets));
}

/// Those of the rows that the calibration learned from, in the order of `held_out`, by models that had not seen them.
std::vector<double> held_out_scores(const Model& model) {
  const HeldOut& held = model.held_out();
  if (held.folds.empty()) return scores_at(model, subset(model.data(), held.rows));
  const std::size_t members = model.parts().scalings.size();
  std::vector<std::vector<std::size_t>> rows(members);
  std::vector<std::vector<double>> x(members);
  for (std::size_t i = 0; i < held.rows.size(); ++i) {
    const std::size_t member = 1 + held.folds[i];
    const std::span<const double> row = model.data().row(held.rows[i]);
    rows[member].push_back(i);
    x[member].insert(x[member].end(), row.begin(), row.end());
  }
  const std::vector<PredictedRows> each = predict_each(model.fitted(), model.parts().scalings, x);
  std::vector<double> scores(held.rows.size());
  for (std::size_t m = 1; m < members; ++m) {
    std::vector<double> targets;
    for (const std::size_t i : rows[m]) targets.push_back(held.targets[i]);
    const std::vector<double> found =
        scores_of(model.calibration(), each[m], model.parts().scalings[m].warp.apply(targets));
    for (std::size_t k = 0; k < rows[m].size(); ++k) scores[rows[m][k]] = found[k];
  }
  return scores;
}

/// A conformal calibration of the largest score of each row: a box that contains as much as this score allows in every
/// direction contains the row with all its targets. For CV+ the product of the targets' bounds contains the joint set.
Calibration joint_calibration(const CalibrationPlan& plan, const HeldOut& held, double level,
                              std::span<const std::vector<double>> scores) {
  HeldOut largest{.source = held.source, .rows = held.rows, .folds = held.folds, .strata = held.strata};
  largest.targets = scores.front();
  for (const std::vector<double>& of_target : scores) {
    if (of_target.size() != largest.targets.size())
      throw DataError(where, "the targets were not calibrated on the same rows");
    for (std::size_t i = 0; i < of_target.size(); ++i) largest.targets[i] = std::max(largest.targets[i], of_target[i]);
  }
  largest.predicted.mean.assign(largest.targets.size(), 0.0);
  largest.predicted.sigma_model.assign(largest.targets.size(), 1.0);
  return calibrate(plan, largest, level);
}

TargetModels joined(std::vector<Model> models, const CalibrationPlan& plan,
                    const std::function<std::vector<double>(std::size_t)>& scores_of_target) {
  const double level = models.front().spec().calibration.level;
  if (plan.kind != CalibrationChoice::conformal) return {std::move(models), {}};
  std::vector<std::vector<double>> scores;
  for (std::size_t t = 0; t < models.size(); ++t) scores.push_back(scores_of_target(t));
  Calibration joint = joint_calibration(plan, models.front().held_out(), level, scores);
  return {std::move(models), std::move(joint)};
}

void refuse_known_noise(bool known) {
  if (known) throw ConfigError(where, "known noise belongs to a single target; fit the targets one by one");
}

void check_request(const TargetsRequest& request, std::size_t sets) {
  if (request.targets.size() < 2 || request.targets.size() != sets) {
    throw ConfigError(where, fmt::format("{} targets named for {} sets of rows; give one for each, two or more",
                                         request.targets.size(), sets));
  }
  for (const std::string& name : request.targets) {
    if (name.empty()) throw ConfigError(where, "one of several targets has no name");
    if (std::ranges::count(request.targets, name) > 1)
      throw ConfigError(where, fmt::format("target '{}' is listed twice", name));
  }
  const std::string& noise = request.fit.noise;
  refuse_known_noise(noise != "auto" && noise != "none" && noise != "learned");
  for (const auto& [name, range] : request.ranges) {
    if (std::ranges::find(request.targets, name) == request.targets.end())
      throw ConfigError(where, fmt::format("a range is given for '{}', which is not a target", name));
  }
  if (!request.fit.range.unlimited()) {
    throw ConfigError(where, "a range applies to one target; say which (--range a=0,inf on the command line)");
  }
}

/// What the request says about one target.
FitRequest request_for(const TargetsRequest& request, const std::string& target) {
  FitRequest one = request.fit;
  one.target = target;
  for (const std::string& other : request.targets) {
    if (other != target) one.columns.ignore.push_back(other);
  }
  const auto range = request.ranges.find(target);
  if (range != request.ranges.end()) one.range = range->second;
  return one;
}

/// The rows of the table with every target.
Table with_all_targets(const Table& table, std::span<const std::string> targets) {
  for (const std::string& target : targets) (void)column_index(table, target);
  return complete_rows(table, targets);
}

}  // namespace

std::vector<DataSet> rows_of(const TargetsRequest& request, const Table& table) {
  check_request(request, request.targets.size());
  const Table complete = with_all_targets(table, request.targets);
  std::vector<DataSet> rows;
  for (const std::string& target : request.targets) {
    rows.push_back(rows_of(request_for(request, target), complete));
    if (const std::size_t lacking = table.rows() - complete.rows(); lacking > 0) {
      rows.back().report.notes.push_back(
          {target, fmt::format("{} rows without a value of every target were left out", lacking)});
    }
  }
  return rows;
}

namespace {

/// Largest number of rows of one cohort, all targets together; a cohort holds the rows once for each of its networks.
constexpr std::size_t most_rows_together = 100'000;

/// As many targets as one cohort may hold are fitted together. Which ones those are changes no model.
std::vector<Model> fit_targets(const FitSpec& spec, std::span<const DataSet> rows,
                               const std::shared_ptr<Engine>& engine, const Progress& progress) {
  const std::size_t together = std::max<std::size_t>(1, most_rows_together / rows.front().rows());
  std::vector<Model> models;
  for (std::size_t t = 0; t < rows.size(); t += together) {
    const auto some = rows.subspan(t, std::min(together, rows.size() - t));
    std::ranges::move(fit_together(spec, some, engine, progress), std::back_inserter(models));
  }
  return models;
}

/// One cohort can be fitted, and joint bounds made, only if the targets belong to the same rows.
void check_same_inputs(std::span<const DataSet> rows) {
  for (const DataSet& one : rows) {
    refuse_known_noise(!one.noise.empty());
    const DataSet& first = rows.front();
    const bool same = one.inputs == first.inputs && one.features == first.features && one.groups == first.groups &&
                      one.times == first.times && one.strata_name == first.strata_name;
    if (!same)
      throw DataError(where, fmt::format("the rows of '{}' and '{}' differ in more than the target", one.target_name,
                                         first.target_name));
  }
}

}  // namespace

TargetModels fit(const TargetsRequest& request, std::span<const DataSet> given, std::shared_ptr<Engine> engine,
                 const Progress& progress) {
  check_request(request, given.size());
  if (!engine) engine = make_engine();
  std::vector<DataSet> rows;
  for (std::size_t t = 0; t < given.size(); ++t)
    rows.push_back(rows_to_fit(request_for(request, request.targets[t]), given[t]));
  check_same_inputs(rows);
  const FitSpec spec = spec_of(request_for(request, request.targets.front()), rows.front());
  const CalibrationPlan plan = plan_fit(spec, rows.front()).calibration;
  std::vector<Model> models = fit_targets(spec, rows, engine, progress);
  const std::vector<Model> fitted = models;
  return joined(std::move(models), plan, [&](std::size_t t) { return held_out_scores(fitted[t]); });
}

TargetModels fit(const TargetsRequest& request, const Table& table, std::shared_ptr<Engine> engine,
                 const Progress& progress) {
  return fit(request, rows_of(request, table), std::move(engine), progress);
}

TargetModels fit(const TargetsRequest& request, const Table& table, const Table& calibration_rows,
                 std::shared_ptr<Engine> engine, const Progress& progress) {
  const std::vector<DataSet> rows = rows_of(request, table);
  const Table complete = with_all_targets(calibration_rows, request.targets);
  if (!engine) engine = make_engine();
  std::vector<DataSet> given;
  for (std::size_t t = 0; t < rows.size(); ++t)
    given.push_back(calibration_rows_of(request_for(request, request.targets[t]), rows[t], complete));
  const FitSpec spec = spec_of(request_for(request, request.targets.front()), rows.front());
  for (std::size_t t = 0; t < rows.size(); ++t) check_calibration_rows(spec.calibration, rows[t], given[t]);
  FitSpec uncalibrated = spec;
  uncalibrated.calibration.kind = CalibrationChoice::none;
  std::vector<Model> models = fit_targets(uncalibrated, rows, engine, progress);
  for (std::size_t t = 0; t < rows.size(); ++t) models[t] = calibrated(models[t], given[t], spec.calibration);
  const CalibrationPlan plan = plan_given(models.front().spec().calibration, given.front());
  const std::vector<Model> fitted = models;
  return joined(std::move(models), plan, [&](std::size_t t) { return scores_at(fitted[t], given[t]); });
}

TargetModels calibrated(const TargetModels& models, std::span<const DataSet> rows, const FitRequest& request) {
  check_same_rows(models, rows);
  std::vector<Model> result;
  for (std::size_t t = 0; t < rows.size(); ++t) result.push_back(calibrated(models.models()[t], rows[t], request));
  const CalibrationPlan plan = plan_given(result.front().spec().calibration, rows.front());
  const std::vector<Model> fitted = result;
  return joined(std::move(result), plan, [&](std::size_t t) { return scores_at(fitted[t], rows[t]); });
}

std::vector<DataSet> labelled_rows(const TargetModels& models, const Table& table, bool drop_missing) {
  const Table complete = with_all_targets(table, models.names());
  std::vector<DataSet> rows;
  for (const Model& model : models.models()) rows.push_back(labelled_rows(model, complete, drop_missing));
  return rows;
}

}  // namespace nomu
