#include "nomu/models/targets.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "models/targets";

/// The target's own factors on sigma, times that of the joint scores.
Calibration with_factors(Calibration joint, const Calibration& own) {
  joint.c_model *= own.c_model;
  joint.c_noise *= own.c_noise;
  return joint;
}

/// Whether any table becomes the same rows of inputs for both. Equal numbers alone do not show that: they may come from
/// columns of other names, and then other rows of a table are complete.
bool same_columns(const DataSet& a, const DataSet& b) {
  return a.inputs == b.inputs && a.rows() == b.rows() && a.cols() == b.cols() && a.features == b.features &&
         a.noise_name == b.noise_name && a.strata_name == b.strata_name;
}

void check_models(std::span<const Model> models) {
  if (models.size() < 2) {
    throw DataError(where, fmt::format("a model of several targets needs at least two, got {}", models.size()));
  }
  std::set<std::string> names;
  for (const Model& model : models) {
    if (model.data().target_name.empty()) throw DataError(where, "one of several targets has no name");
    if (!names.insert(model.data().target_name).second)
      throw DataError(where, fmt::format("target '{}' is listed twice", model.data().target_name));
    if (!same_columns(model.data(), models.front().data()))
      throw DataError(where, "the models of several targets must have learned from the same inputs");
  }
}

}  // namespace

TargetModels::TargetModels(std::vector<Model> models, Calibration joint)
    : models_(std::move(models)), joint_(std::move(joint)) {
  check_models(models_);
  check_calibration(joint_);
  if (joint_.kind == CalibrationKind::none) return;
  for (const Model& model : models_) {
    if (model.calibration().kind != joint_.kind) throw DataError(where, "the joint bounds are of another kind");
    joint_models_.push_back(
        model.with_calibration(with_factors(joint_, model.calibration()), model.held_out(), model.spec().calibration));
  }
}

std::vector<std::string> TargetModels::names() const {
  std::vector<std::string> names;
  for (const Model& model : models_) names.push_back(model.data().target_name);
  return names;
}

const Model& TargetModels::model(const std::string& target) const {
  const auto found = std::ranges::find_if(models_, [&](const Model& m) { return m.data().target_name == target; });
  if (found == models_.end()) {
    throw ConfigError(where,
                      fmt::format("there is no target '{}'; the targets are {}", target, fmt::join(names(), ", ")));
  }
  return *found;
}

const std::vector<Model>& TargetModels::joint_models() const {
  if (joint_models_.empty()) {
    throw ConfigError(where, fmt::format("joint bounds of all targets need conformal calibration, but this one is '{}'",
                                         to_text(models_.front().calibration().kind)));
  }
  return joint_models_;
}

std::vector<Bounds> TargetModels::joint_bounds(std::span<const double> x, double level,
                                               std::span<const std::string> strata) const {
  std::vector<Bounds> bounds;
  for (const Model& model : joint_models()) bounds.push_back(model.bounds(x, level, {}, strata));
  return bounds;
}

std::vector<Bounds> TargetModels::joint_bounds(const Table& rows, double level) const {
  std::vector<Bounds> bounds;
  for (const Model& model : joint_models()) bounds.push_back(model.bounds(rows, level));
  return bounds;
}

std::string TargetModels::joint_guarantee(double level) const {
  (void)joint_models();
  return fmt::format("for all {} targets at once: {}", models_.size(), guarantee(joint_, level));
}

std::string TargetModels::describe() const {
  std::string text = fmt::format("{} targets, fitted as one cohort: {}\n", models_.size(), fmt::join(names(), ", "));
  for (const Model& model : models_) text += fmt::format("\n{}", model.describe());
  const std::optional<double> level = default_level();
  if (level && !joint_models_.empty())
    text += fmt::format("\njoint bounds of {}, {}\n", percent(*level), joint_guarantee(*level));
  return text;
}

}  // namespace nomu
