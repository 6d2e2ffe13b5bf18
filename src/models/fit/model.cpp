#include "nomu/models/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "eval/row_checks.hpp"
#include "eval/score_set.hpp"
#include "models/fit/members.hpp"
#include "models/fit/model_parts.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "models/model";

/// The text of the cell that became these inputs; empty, which is no stratum, if it was none of `strata`.
std::string name_in(const FeatureColumn& feature, std::span<const double> inputs,
                    const std::vector<std::string>& strata) {
  if (!feature.levels.empty()) {
    for (std::size_t k = 0; k < feature.levels.size(); ++k) {
      if (inputs[k] == 1.0) return feature.levels[k];
    }
    return {};
  }
  for (const std::string& name : strata) {
    double value = 0.0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), value);
    if (read.ec == std::errc{} && read.ptr == name.data() + name.size() && value == inputs[0]) return name;
  }
  return {};
}

void check_inputs(std::span<const double> x, const DataSet& data) {
  const std::size_t cols = data.cols();
  if (x.size() % cols != 0) {
    throw DataError(where, fmt::format("{} values do not fill rows of {} inputs", x.size(), cols));
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i])) {
      throw DataError(where, fmt::format("input '{}' of row {} (counted from 0) is {}; it must be finite",
                                         data.input_names[i % cols], i / cols, x[i]));
    }
  }
}

/// Moves what cannot occur to the nearest value that can.
void move_into(const TargetRange& range, std::vector<double>& values) {
  if (range.unlimited()) return;
  for (double& value : values) value = std::clamp(value, range.low, range.high);
}

Bounds in_range(Bounds bounds, const TargetRange& range) {
  move_into(range, bounds.lower);
  move_into(range, bounds.upper);
  return bounds;
}

}  // namespace

Fields fields_of(CalibrationSpec& spec) {
  Fields f("calibration");
  f.add_choice("kind", spec.kind, {"auto", "none", "nll", "separate", "coverage", "conformal", "isotonic"},
               "how standard deviations are turned into bounds");
  f.add("level", spec.level, Range::between(0.0, 1.0), "level of the bounds");
  f.add_choice("policy", spec.policy, {"auto", "folds", "hold_out"}, "which rows the calibration learns from");
  f.add("folds", spec.folds, Range::at_least(0), "number of fits, each of which leaves out some rows; 0: automatic");
  f.add("few_rows", spec.few_rows, Range::at_least(0), "below this number of rows, auto uses folds");
  f.add("hold_out", spec.hold_out, Range::between(0.0, 1.0), "share of the rows held out");
  return f;
}

Fields fields_of(FitSpec& spec) {
  Fields f(fmt::format("fit/{}", method_name(spec.method)));
  f.add_nested("", fields_of(spec.method));
  const std::vector<std::string> scalings{"auto", "min_max", "standardise", "robust", "identity", "together"};
  f.add_choice("scale.inputs", spec.scale_inputs, scalings, "how inputs are scaled before the method sees them");
  f.add_choice("scale.target", spec.scale_target, scalings, "how the target is scaled before the method sees it");
  f.add_nested("evidence", fields_of(spec.evidence));
  f.add_nested("calibration", fields_of(spec.calibration));
  f.add("seed", spec.seed, Range::at_least(0), "seed of everything random in the fit");
  return f;
}

Model::Model(ModelParts parts, std::shared_ptr<const FittedCohort> fitted, std::shared_ptr<Engine> engine)
    : parts_(std::make_shared<const ModelParts>(std::move(parts))),
      engine_(std::move(engine)),
      fitted_(std::move(fitted)) {
  check_parts(*parts_, *fitted_);
  const std::size_t first = 0;
  own_ = fitted_->members() == 1 ? fitted_ : fitted_->select({&first, 1});
  if (calibration().kind == CalibrationKind::cross_conformal) {
    std::vector<std::size_t> folds(fitted_->members() - 1);
    std::iota(folds.begin(), folds.end(), std::size_t{1});
    folds_ = fitted_->select(folds);
  }
  low_.assign(cols(), std::numeric_limits<double>::infinity());
  high_.assign(cols(), -std::numeric_limits<double>::infinity());
  for (const std::size_t i : parts_->fitted_rows) {
    const std::span<const double> row = parts_->data.row(i);
    for (std::size_t j = 0; j < row.size(); ++j) {
      low_[j] = std::min(low_[j], row[j]);
      high_[j] = std::max(high_[j], row[j]);
    }
  }
}

/// `members` are the model's members from `first` on.
std::vector<PredictedRows> Model::predict_members(const FittedCohort& members, std::size_t first,
                                                  std::span<const double> x, std::span<const double> noise) const {
  check_inputs(x, data());
  const std::size_t rows = x.size() / cols();
  const bool known = !parts_->data.noise.empty();
  if (known == noise.empty() && rows > 0) {
    throw DataError(where, known ? "the model was fitted with known noise; give the noise of the rows to predict, too"
                                 : "the model was fitted without known noise, so none can be given for predictions");
  }
  if (known) {
    require_rows(where, "noise", noise, rows);
    require_not_negative(where, "noise", noise);
  }
  if (rows == 0) return std::vector<PredictedRows>(members.members());
  const std::vector<std::vector<double>> same(members.members(), {x.begin(), x.end()});
  std::vector<PredictedRows> each =
      predict_each(members, std::span(parts_->scalings).subspan(first, members.members()), same);
  for (PredictedRows& member : each) {
    if (known) member.sigma_noise.assign(noise.begin(), noise.end());
  }
  return each;
}

const Warp& Model::warp() const { return parts_->scalings.front().warp; }

PredictedRows Model::predict_warped(std::span<const double> x, std::span<const double> noise) const {
  return std::move(predict_members(*own_, 0, x, noise).front());
}

PredictedRows Model::predict_uncalibrated(std::span<const double> x, std::span<const double> noise) const {
  return unwarped(predict_warped(x, noise), warp());
}

PredictedRows Model::predict(std::span<const double> x, std::span<const double> noise) const {
  PredictedRows rows = predict_warped(x, noise);
  for (double& sigma : rows.sigma_model) sigma *= calibration().c_model;
  for (double& sigma : rows.sigma_below) sigma *= calibration().c_model;
  for (double& sigma : rows.sigma_noise) sigma *= calibration().c_noise;
  rows = unwarped(std::move(rows), warp());
  move_into(data().range, rows.mean);
  return rows;
}

Bounds Model::bounds(std::span<const double> x, double level, std::span<const double> noise,
                     std::span<const std::string> strata) const {
  (void)guaranteed_coverage(calibration(), level);  // throws for levels that the calibration does not support
  std::vector<std::string> read;
  if (strata.empty() && !calibration().strata.empty()) {
    read = strata_of(x);
    strata = read;
  }
  if (calibration().kind != CalibrationKind::cross_conformal) {
    const PredictedRows own = predict_warped(x, noise);
    if (own.rows() == 0) return {};
    return in_range(unwarped(make_bounds(own, calibration(), level, strata), warp()), data().range);
  }
  const std::vector<PredictedRows> members = predict_members(*folds_, 1, x, noise);
  if (members.front().rows() == 0) return {};
  const auto back = [this](std::size_t fold, double z) { return parts_->scalings[1 + fold].warp.invert(z); };
  return in_range(cross_bounds(members, calibration(), level, back, strata), data().range);
}

/// The names of the rows in the column of strata, as far as the inputs tell.
std::vector<std::string> Model::strata_of(std::span<const double> x) const {
  const DataSet& known = parts_->data;
  std::size_t first = 0;
  for (const FeatureColumn& feature : known.features) {
    const std::size_t width = input_count(feature);
    if (feature.name != known.strata_name || known.strata_name.empty()) {
      first += width;
      continue;
    }
    std::vector<std::string> names;
    for (std::size_t i = 0; i < x.size() / cols(); ++i) {
      names.push_back(name_in(feature, x.subspan(i * cols() + first, width), calibration().strata));
    }
    return names;
  }
  return {};
}

Bounds Model::held_out_bounds(double level) const {
  const HeldOut& held = held_out();
  if (calibration().kind != CalibrationKind::cross_conformal || held.folds.empty()) {
    // These rows were predicted by models that are not kept, so the factors are applied in the units of the target;
    // with a warp that is an approximation.
    const bool own = !held.refitted && !held.rows.empty() && held.folds.empty();
    if (!own) return make_bounds(held.predicted, calibration(), level, held.strata);
    const DataSet rows = subset(data(), held.rows);
    return bounds(rows.inputs, level, rows.noise, held.strata);
  }
  // Every score is of a row and the model that had not seen it, so the level's score bounds them all.
  const LevelSets sets(calibration(), level);
  Bounds found{.lower = std::vector<double>(held.rows.size()), .upper = std::vector<double>(held.rows.size())};
  const DataSet rows = subset(data(), held.rows);
  const std::vector<PredictedRows> members = predict_members(*folds_, 1, rows.inputs, rows.noise);
  for (std::size_t k = 0; k < members.size(); ++k) {
    const CalibratedSigma sigma = calibrated_sigma(calibration(), members[k]);
    const Warp& back = parts_->scalings[1 + k].warp;
    for (std::size_t i = 0; i < held.rows.size(); ++i) {
      if (held.folds[i] != k) continue;
      const double score = sets.score(held.strata.empty() ? sets.widest() : sets.of(held.strata[i]));
      found.lower[i] = back.invert(members[k].mean[i] - score * sigma.below[i]);
      found.upper[i] = back.invert(members[k].mean[i] + score * sigma.above[i]);
    }
  }
  return in_range(std::move(found), data().range);
}

std::vector<bool> Model::outside(std::span<const double> x) const {
  check_inputs(x, data());
  std::vector<bool> flags(x.size() / cols(), false);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t j = i % cols();
    if (x[i] < low_[j] || x[i] > high_[j]) flags[i / cols()] = true;
  }
  return flags;
}

std::vector<double> Model::raw_sigma(std::span<const double> x) const {
  check_inputs(x, data());
  const std::vector<std::vector<double>> rows{{x.begin(), x.end()}};
  const Tensor<float> raw = own_->raw_sigma(scaled_rows(std::span(parts_->scalings).first(1), rows));
  if (raw.empty()) return {};
  return {raw.member(0).begin(), raw.member(0).end()};
}

std::vector<double> Model::fitted_inputs() const { return subset(parts_->data, parts_->fitted_rows).inputs; }

std::optional<double> Model::default_level() const {
  switch (calibration().kind) {
    case CalibrationKind::none:
    case CalibrationKind::width: return {};
    case CalibrationKind::coverage: return calibration().level;
    default: return spec().calibration.level;
  }
}

Model Model::with_calibration(Calibration calibration, HeldOut held_out, const CalibrationSpec& spec) const {
  ModelParts parts = *parts_;
  parts.calibration = std::move(calibration);
  parts.held_out = std::move(held_out);
  parts.spec.calibration = spec;
  return {std::move(parts), fitted_, engine_};
}

}  // namespace nomu
