#include "models/fit/calibration_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "eval/row_checks.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/random.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "models/model";
constexpr std::uint64_t split_purpose = 0x73706c6974;  // keeps splits independent of the fit's own draws

/// Why `rows` calibration rows cannot support a level; empty if they can.
std::string refusal(CalibrationChoice kind, std::size_t rows, double level) {
  try {
    if (kind == CalibrationChoice::conformal) (void)conformal_rank(rows, level);
    if (kind == CalibrationChoice::isotonic) {
      // Whether a level is refused depends only on the number of knots.
      (void)multipliers({.kind = CalibrationKind::isotonic, .rows = rows, .knots = std::vector<double>(rows)}, level);
    }
  } catch (const ConfigError& error) {
    const std::string_view text = error.what();
    return std::string(text.substr(text.find("] ") + 2));
  }
  return {};
}

/// The kind actually used; throws if a requested kind is impossible.
CalibrationChoice settled_kind(const CalibrationSpec& spec, std::size_t rows, const std::string& which) {
  if (spec.kind == CalibrationChoice::automatic) {
    const bool enough = refusal(CalibrationChoice::conformal, rows, spec.level).empty();
    return enough ? CalibrationChoice::conformal : CalibrationChoice::nll;
  }
  const std::string reason = refusal(spec.kind, rows, spec.level);
  if (!reason.empty()) {
    throw ConfigError(
        where,
        fmt::format("{} ({}); get more rows, choose a lower level, or calibrate by nll, which assumes Gaussian errors",
                    reason, which));
  }
  return spec.kind;
}

bool use_folds(const CalibrationSpec& spec, const DataSet& data) {
  if (!data.times.empty()) {
    if (spec.policy == CalibrationPolicy::folds) {
      throw ConfigError(
          where,
          "folds would predict earlier rows from later ones; with a time column use calibration.policy = hold_out");
    }
    return false;
  }
  if (spec.policy == CalibrationPolicy::automatic) return data.rows() < static_cast<std::size_t>(spec.few_rows);
  return spec.policy == CalibrationPolicy::folds;
}

void split_folds(const CalibrationSpec& spec, const DataSet& data, std::uint64_t seed, CalibrationPlan& plan) {
  plan.source = CalibrationSource::folds;
  const auto wanted = static_cast<std::size_t>(spec.folds);
  if (data.groups.empty()) {
    plan.split = "random";
    plan.splits = k_folds(data.rows(), std::min(wanted, data.rows()), seed);
    return;
  }
  plan.split = "group";
  const std::set<std::string_view> groups(data.groups.begin(), data.groups.end());
  plan.splits = group_folds(data.groups, std::clamp<std::size_t>(groups.size(), 2, wanted), seed);
}

void split_once(const CalibrationSpec& spec, const DataSet& data, std::uint64_t seed, CalibrationPlan& plan) {
  plan.source = CalibrationSource::hold_out;
  if (!data.times.empty()) {
    plan.split = "time";
    plan.splits = {time_split(data.times, spec.hold_out)};
  } else if (!data.groups.empty()) {
    plan.split = "group";
    plan.splits = {group_split(data.groups, spec.hold_out, seed)};
  } else {
    plan.split = "random";
    plan.splits = {random_split(data.rows(), spec.hold_out, seed)};
  }
}

}  // namespace

CalibrationPlan plan_calibration(const CalibrationSpec& spec, const DataSet& data, std::uint64_t seed) {
  CalibrationPlan plan;
  require_level(where, spec.level);
  if (!data.groups.empty() && !data.times.empty()) {
    throw ConfigError(where, "rows can be split by group or by time, not by both");
  }
  if (spec.kind == CalibrationChoice::none) return plan;
  const std::uint64_t split_seed = derived_seed(seed, split_purpose);
  if (use_folds(spec, data)) {
    split_folds(spec, data, split_seed, plan);
    plan.kind =
        settled_kind(spec, data.rows(), fmt::format("all {} rows in {} folds", data.rows(), plan.splits.size()));
    plan.refit = !plan.cross();
  } else {
    split_once(spec, data, split_seed, plan);
    const std::size_t held_out = plan.splits.front().test.size();
    plan.kind = settled_kind(spec, held_out, fmt::format("{} of {} rows held out", held_out, data.rows()));
    // The split conformal guarantee holds only for a model that never saw the calibration rows.
    plan.refit = plan.kind != CalibrationChoice::conformal;
  }
  return plan;
}

CalibrationPlan plan_given(const CalibrationSpec& spec, std::size_t rows) {
  require_level(where, spec.level);
  CalibrationPlan plan;
  if (spec.kind == CalibrationChoice::none) return plan;
  plan.source = CalibrationSource::given;
  plan.kind = settled_kind(spec, rows, "the rows given for calibration");
  return plan;
}

Calibration calibrate(const CalibrationPlan& plan, const HeldOut& held_out, double level) {
  const PredictedRows& rows = held_out.predicted;
  switch (plan.kind) {
    case CalibrationChoice::automatic:
    case CalibrationChoice::none: return {};
    case CalibrationChoice::nll: return calibrate_nll(rows, held_out.targets);
    case CalibrationChoice::separate: return calibrate_separate(rows, held_out.targets);
    case CalibrationChoice::coverage: return calibrate_coverage(rows, held_out.targets, level);
    case CalibrationChoice::conformal:
    case CalibrationChoice::isotonic: break;
  }
  // A single factor cancels in the bounds; it is there to calibrate the standard deviations themselves.
  const Calibration base = calibrate_nll(rows, held_out.targets);
  if (plan.kind == CalibrationChoice::isotonic) return calibrate_isotonic(rows, held_out.targets, base);
  if (plan.cross()) return calibrate_cross_conformal(rows, held_out.targets, held_out.folds, base);
  return calibrate_conformal(rows, held_out.targets, base);
}

}  // namespace nomu
