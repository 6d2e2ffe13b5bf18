#include "nomu/eval/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include "eval/normal.hpp"
#include "eval/row_checks.hpp"
#include "eval/score_set.hpp"
#include "eval/student.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "eval/calibration";
constexpr std::array<std::string_view, 8> kind_names = {"none",  "nll",       "separate",        "coverage",
                                                        "width", "conformal", "cross_conformal", "isotonic"};
constexpr std::array<std::string_view, 5> unit_names = {"rows", "new_inputs", "known_inputs", "new_groups",
                                                        "later_rows"};

std::vector<double> member_values(const Tensor<float>& tensor, std::size_t member, std::size_t rows,
                                  std::string_view what) {
  if (tensor.empty()) return {};
  if (member >= tensor.members() || tensor.rows() != rows || tensor.cols() != 1) {
    throw DataError(where, fmt::format("member {} of {} is not [{}][1]: the tensor is [{}][{}][{}]", member, what, rows,
                                       tensor.members(), tensor.rows(), tensor.cols()));
  }
  const std::span<const float> values = tensor.member(member);
  return {values.begin(), values.end()};
}

void check_rows(const PredictedRows& rows) {
  require_finite(where, "mean", rows.mean);
  require_rows(where, "sigma_model", rows.sigma_model, rows.rows());
  require_not_negative(where, "sigma_model", rows.sigma_model);
  if (!rows.sigma_noise.empty()) {
    require_rows(where, "sigma_noise", rows.sigma_noise, rows.rows());
    require_not_negative(where, "sigma_noise", rows.sigma_noise);
  }
  if (!rows.sigma_below.empty()) {
    require_rows(where, "sigma_below", rows.sigma_below, rows.rows());
    require_not_negative(where, "sigma_below", rows.sigma_below);
  }
}

/// Keeps ceil and floor from slipping by one when a product is a whole number in exact arithmetic, such as
/// 100 * 0.95.
constexpr double rounding_slack = 1e-9;

void throw_too_few(std::size_t count, double level, double needed, CalibrationUnit unit = CalibrationUnit::rows) {
  const std::string_view what = unit == CalibrationUnit::new_groups   ? "calibration groups"
                                : unit == CalibrationUnit::new_inputs ? "calibration rows with distinct inputs"
                                                                      : "calibration rows";
  throw ConfigError(where,
                    fmt::format("level {} needs at least {:.0f} {}, but there are {}", level, needed, what, count));
}

/// The interpolated quantile of the standardised residuals; knot i is at level (i + 1) / (n + 1).
double knot_quantile(const std::vector<double>& knots, double level) {
  const double position =
      std::clamp(level * static_cast<double>(knots.size() + 1), 1.0, static_cast<double>(knots.size()));
  const auto below = static_cast<std::size_t>(position);
  if (below == knots.size()) return knots.back();
  return std::lerp(knots[below - 1], knots[below], position - static_cast<double>(below));
}

Multipliers isotonic_multipliers(const Calibration& calibration, double level) {
  const double needed = std::ceil(2.0 / (1.0 - level) - rounding_slack) - 1.0;
  if (static_cast<double>(calibration.knots.size()) < needed) throw_too_few(calibration.rows, level, needed);
  return {.below = -knot_quantile(calibration.knots, 0.5 * (1.0 - level)),
          .above = knot_quantile(calibration.knots, 0.5 * (1.0 + level))};
}

/// Refuses units and strata that do not match the rows.
template <class F>
void check_units(const Calibration& c, bool has_scores, const F& refuse) {
  if (static_cast<std::size_t>(c.unit) >= unit_names.size()) refuse("unknown unit");
  if (c.units > c.rows) refuse("more units than rows");
  const bool counted = has_scores && c.units != 0;
  if (c.score_units.size() != (counted ? c.rows : 0)) refuse("units are not one per row");
  std::vector<bool> found(counted ? c.units : 0, false);
  for (const std::size_t unit : c.score_units) {
    if (unit >= found.size()) refuse("a unit that does not exist");
    found[unit] = true;
  }
  if (counted && !std::ranges::all_of(found, std::identity{})) refuse("a unit without rows");
  if (!c.strata.empty() && !has_scores) refuse("strata without scores");
  if (c.score_strata.size() != (c.strata.empty() ? 0 : c.rows)) refuse("strata are not one per row");
  if (!std::ranges::is_sorted(c.strata)) refuse("strata are not in order");
  if (std::ranges::any_of(c.score_strata, [&](std::size_t stratum) { return stratum >= c.strata.size(); }))
    refuse("a stratum that does not exist");
}

}  // namespace

std::string percent(double share) {
  std::string text = fmt::format("{:.4g}", 100.0 * share);
  // Do not round up to 100 %: nearly all is not all.
  if (text == "100" && share < 1.0) text = fmt::format("{:.12g}", 100.0 * share);
  return text + " %";
}

PredictedRows predicted_rows(const Prediction& prediction, std::size_t member) {
  const std::size_t rows = prediction.mean.rows();
  if (prediction.mean.empty()) throw DataError(where, "the prediction is empty");
  if (prediction.sigma_model.empty()) throw DataError(where, "the prediction has no sigma_model");
  return {.mean = member_values(prediction.mean, member, rows, "mean"),
          .sigma_model = member_values(prediction.sigma_model, member, rows, "sigma_model"),
          .sigma_noise = member_values(prediction.sigma_noise, member, rows, "sigma_noise"),
          .sigma_below = member_values(prediction.sigma_below, member, rows, "sigma_below")};
}

std::string_view to_text(CalibrationKind kind) { return kind_names.at(static_cast<std::size_t>(kind)); }
std::string_view to_text(CalibrationUnit unit) { return unit_names.at(static_cast<std::size_t>(unit)); }

std::string_view to_text(StratumClaim::Basis basis) {
  constexpr std::array<std::string_view, 3> names = {"own", "rare_together", "nothing"};
  return names.at(static_cast<std::size_t>(basis));
}

std::size_t unit_count(const Calibration& calibration) {
  return calibration.units == 0 ? calibration.rows : calibration.units;
}

void check_calibration(const Calibration& calibration) {
  const auto refuse = [](std::string_view what) {
    throw DataError(where, fmt::format("not a valid calibration: {}", what));
  };
  if (static_cast<std::size_t>(calibration.kind) >= kind_names.size()) refuse("unknown kind");
  for (const double c : {calibration.c_model, calibration.c_noise}) {
    if (!(std::isfinite(c) && c >= 0.0)) refuse(fmt::format("a factor of {}", c));
  }
  const bool cross = calibration.kind == CalibrationKind::cross_conformal;
  const bool has_scores = cross || calibration.kind == CalibrationKind::conformal;
  const bool has_knots = calibration.kind == CalibrationKind::isotonic;
  if (calibration.scores.size() != (has_scores ? calibration.rows : 0)) refuse("scores are not one per row");
  if (calibration.score_folds.size() != (cross ? calibration.rows : 0)) refuse("folds are not one per row");
  if (calibration.knots.size() != (has_knots ? calibration.rows : 0)) refuse("knots are not one per row");
  if ((has_scores || has_knots) && calibration.rows == 0) refuse("no rows");
  if (cross && std::ranges::max(calibration.score_folds) >= calibration.rows) refuse("more folds than rows");
  for (const std::vector<double>* values : {&calibration.scores, &calibration.knots}) {
    if (!std::ranges::all_of(*values, [](double value) { return std::isfinite(value); })) {
      refuse("a score is not finite");
    }
    if (!std::ranges::is_sorted(*values)) refuse("scores are not in ascending order");
  }
  if (has_scores && calibration.scores.front() < 0.0) refuse("a score is negative");
  check_units(calibration, has_scores, refuse);
  if (calibration.kind == CalibrationKind::coverage && !(calibration.level > 0.0 && calibration.level < 1.0)) {
    refuse(fmt::format("a level of {}", calibration.level));
  }
}

CalibratedSigma calibrated_sigma(const Calibration& calibration, const PredictedRows& rows) {
  check_rows(rows);
  const auto total = [&](const std::vector<double>& model) {
    std::vector<double> sigma(model.size());
    for (std::size_t i = 0; i < model.size(); ++i) {
      const double noise = rows.sigma_noise.empty() ? 0.0 : rows.sigma_noise[i];
      sigma[i] = std::hypot(calibration.c_model * model[i], calibration.c_noise * noise);
    }
    return sigma;
  };
  CalibratedSigma sigma{.above = total(rows.sigma_model), .below = {}};
  sigma.below = rows.sigma_below.empty() ? sigma.above : total(rows.sigma_below);
  return sigma;
}

std::vector<double> central_sigma(const Calibration& calibration, const PredictedRows& rows) {
  CalibratedSigma sigma = calibrated_sigma(calibration, rows);
  for (std::size_t i = 0; i < rows.rows(); ++i) sigma.above[i] = 0.5 * (sigma.above[i] + sigma.below[i]);
  return std::move(sigma.above);
}

std::size_t conformal_rank(std::size_t rows, double level, CalibrationUnit unit) {
  require_level(where, level);
  const double rank = std::max(1.0, std::ceil(static_cast<double>(rows + 1) * level - rounding_slack));
  // n rows support the level when (n + 1) level <= n.
  if (rank > static_cast<double>(rows)) {
    // 1 - level is only as exact as its last digits, so the slack grows with the quotient.
    const double odds = level / (1.0 - level);
    throw_too_few(rows, level, std::max(1.0, std::ceil(odds - rounding_slack * (1.0 + odds))), unit);
  }
  return static_cast<std::size_t>(rank);
}

Multipliers multipliers(const Calibration& calibration, double level) {
  require_level(where, level);
  switch (calibration.kind) {
    case CalibrationKind::none:
      throw ConfigError(where, fmt::format("the prediction is not calibrated, so no bounds of level {} can be given; "
                                           "calibrate it on rows that were not used for fitting",
                                           level));
    case CalibrationKind::width:
      throw ConfigError(
          where, fmt::format(
                     "calibrated for a mean width, which implies nothing about level {}; calibrate for a level instead",
                     level));
    case CalibrationKind::coverage:
      if (std::abs(level - calibration.level) > rounding_slack) {
        throw ConfigError(where, fmt::format("calibrated for level {} only, got {}; recalibrate for this level",
                                             calibration.level, level));
      }
      return {.below = 1.0, .above = 1.0};
    case CalibrationKind::conformal: {
      const LevelSets sets(calibration, level);
      const double score = sets.score(sets.widest());
      return {.below = score, .above = score};
    }
    case CalibrationKind::cross_conformal:
      throw ConfigError(where, "CV+ bounds come from the predictions of the fold models; call cross_bounds");
    case CalibrationKind::isotonic: return isotonic_multipliers(calibration, level);
    case CalibrationKind::nll:
    case CalibrationKind::separate: break;
  }
  // Few units measure the factor badly, however many rows they have.
  const double z = student_central_quantile(level, calibration.units);
  return {.below = z, .above = z};
}

double half_width(const Calibration& calibration, double sigma_model, double sigma_noise, double level) {
  const Multipliers interval = multipliers(calibration, level);
  for (const double sigma : {sigma_model, sigma_noise}) {
    if (!(std::isfinite(sigma) && sigma >= 0.0)) {
      throw DataError(where, fmt::format("sigma must be finite and not negative, got {}", sigma));
    }
  }
  return 0.5 * (interval.below + interval.above) *
         std::hypot(calibration.c_model * sigma_model, calibration.c_noise * sigma_noise);
}

}  // namespace nomu
