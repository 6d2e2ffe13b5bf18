#include "models/fit/calibration_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <string_view>

#include "eval/row_checks.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/random.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "models/model";
constexpr std::uint64_t split_purpose = 0x73706c6974;  // keeps splits independent of the fit's own draws

/// Why `count` calibration rows, or other units, cannot support a level; empty if they can.
std::string refusal(CalibrationChoice kind, std::size_t count, double level, CalibrationUnit unit) {
  try {
    if (kind == CalibrationChoice::conformal) (void)conformal_rank(count, level, unit);
    if (kind == CalibrationChoice::isotonic) {
      // Whether a level is refused depends only on the number of knots.
      (void)multipliers({.kind = CalibrationKind::isotonic, .rows = count, .knots = std::vector<double>(count)}, level);
    }
  } catch (const ConfigError& error) {
    const std::string_view text = error.what();
    return std::string(text.substr(text.find("] ") + 2));
  }
  return {};
}

Units rows_as_units(std::size_t rows) {
  Units units{.of_row = std::vector<std::size_t>(rows), .count = rows};
  std::iota(units.of_row.begin(), units.of_row.end(), std::size_t{0});
  return units;
}

/// Units below which equal inputs say nothing about new ones.
constexpr std::size_t fewest_inputs = 5;
/// Rows of each distinct input from which on the same inputs are expected again.
constexpr std::size_t often = 20;
/// Rows up to which folds replace a held-out part with too few groups or distinct inputs; more would take too long.
constexpr std::size_t most_for_folds = 20000;

/// What counts as one, and which new rows a claim is about.
void settle_units(const DataSet& data, CalibrationPlan& plan) {
  plan.strata = data.strata;
  if (!data.groups.empty()) {
    plan.unit = CalibrationUnit::new_groups;
    plan.units = group_units(data.groups);
    return;
  }
  plan.units = distinct_rows(data.inputs, data.cols());
  const bool distinct = plan.units.count == data.rows();
  plan.unit = distinct ? CalibrationUnit::rows : CalibrationUnit::new_inputs;
  if (data.times.empty() && (distinct || plan.units.count >= fewest_inputs)) return;
  plan.unit = data.times.empty() ? CalibrationUnit::known_inputs : CalibrationUnit::later_rows;
  plan.units = rows_as_units(data.rows());
}

/// Where inputs are few and repeated often, nothing can be proven about others, but rows that repeat them prove what
/// they did in the past.
void count_rows_instead(std::size_t rows, double level, CalibrationPlan& plan) {
  const bool few = plan.unit == CalibrationUnit::new_inputs && rows >= often * plan.units.count &&
                   !refusal(CalibrationChoice::conformal, plan.units.count, level, plan.unit).empty();
  if (!few) return;
  plan.unit = CalibrationUnit::known_inputs;
  plan.units = rows_as_units(rows);
}

std::string_view unit_word(CalibrationUnit unit) {
  return unit == CalibrationUnit::new_groups   ? "groups"
         : unit == CalibrationUnit::new_inputs ? "distinct inputs"
                                               : "rows";
}

/// The kind actually used with `rows` rows of `units` units; throws if a requested kind or level is impossible.
CalibrationChoice settled_kind(const CalibrationSpec& spec, const CalibrationPlan& plan, std::size_t rows,
                               std::size_t units, const std::string& which) {
  const bool open = spec.kind == CalibrationChoice::automatic;
  const CalibrationChoice wanted = open ? CalibrationChoice::conformal : spec.kind;
  const std::size_t count = wanted == CalibrationChoice::conformal ? units : rows;
  const std::string reason = refusal(wanted, count, spec.level, plan.unit);
  if (reason.empty()) return wanted;
  if (open && !spec.level_asked) return CalibrationChoice::nll;
  const std::string_view word = wanted == CalibrationChoice::conformal ? unit_word(plan.unit) : "rows";
  throw ConfigError(where, fmt::format("{} ({}); get more {}, choose a lower level, or calibrate by nll, which assumes "
                                       "Gaussian errors and proves nothing",
                                       reason, which, word));
}

/// Units of which all or some rows are listed.
std::size_t units_among(const Units& units, std::span<const std::size_t> rows) {
  std::vector<bool> found(units.count, false);
  for (const std::size_t i : rows) found[units.of_row[i]] = true;
  return static_cast<std::size_t>(std::ranges::count(found, true));
}

bool use_folds(const CalibrationSpec& spec, const DataSet& data, const CalibrationPlan& plan, std::size_t held_out) {
  if (!data.times.empty()) {
    if (spec.policy == CalibrationPolicy::folds) {
      throw ConfigError(
          where,
          "folds would predict earlier rows from later ones; with a time column use calibration.policy = hold_out");
    }
    return false;
  }
  if (spec.policy != CalibrationPolicy::automatic) return spec.policy == CalibrationPolicy::folds;
  if (data.rows() < static_cast<std::size_t>(spec.few_rows)) return true;
  const bool counted = plan.unit == CalibrationUnit::new_groups || plan.unit == CalibrationUnit::new_inputs;
  const bool claims = spec.kind == CalibrationChoice::automatic || spec.kind == CalibrationChoice::conformal;
  return counted && claims && data.rows() <= most_for_folds &&
         !refusal(CalibrationChoice::conformal, held_out, spec.level, plan.unit).empty();
}

/// "all 60 rows in 10 folds", "2 of 10 groups held out".
std::string which_text(const CalibrationPlan& plan, std::size_t used) {
  const std::string_view word = unit_word(plan.unit);
  if (plan.source == CalibrationSource::folds)
    return fmt::format("all {} {} in {} folds", plan.units.count, word, plan.splits.size());
  return fmt::format("{} of {} {} held out", used, plan.units.count, word);
}

}  // namespace

CalibrationPlan plan_calibration(const CalibrationSpec& spec, const DataSet& data, std::uint64_t seed) {
  CalibrationPlan plan;
  require_level(where, spec.level);
  if (!data.groups.empty() && !data.times.empty()) {
    throw ConfigError(where, "rows can be split by group or by time, not by both");
  }
  if (spec.kind == CalibrationChoice::none) return plan;
  settle_units(data, plan);
  count_rows_instead(data.rows(), spec.level, plan);
  if (plan.unit == CalibrationUnit::new_groups && plan.units.count < 2) {
    throw DataError(where, "all rows are of one group, so nothing can be learned about other groups");
  }
  const std::uint64_t split_seed = derived_seed(seed, split_purpose);
  plan.split = !data.times.empty() ? "time" : !data.groups.empty() ? "group" : "random";
  Split once =
      data.times.empty() ? unit_split(plan.units, spec.hold_out, split_seed) : time_split(data.times, spec.hold_out);
  // Bounds that adapt go on from the latest of them.
  if (!data.times.empty()) std::ranges::stable_sort(once.test, {}, [&](std::size_t i) { return data.times[i]; });
  std::size_t used = units_among(plan.units, once.test);
  std::size_t rows = once.test.size();
  if (use_folds(spec, data, plan, used)) {
    plan.source = CalibrationSource::folds;
    plan.splits = unit_folds(plan.units, std::min(static_cast<std::size_t>(spec.folds), plan.units.count), split_seed);
    used = plan.units.count;
    rows = data.rows();
  } else {
    plan.source = CalibrationSource::hold_out;
    plan.splits = {once};
  }
  plan.kind = settled_kind(spec, plan, rows, used, which_text(plan, used));
  // The split conformal guarantee holds only for a model that never saw the calibration rows.
  plan.refit = plan.source == CalibrationSource::folds ? !plan.cross() : plan.kind != CalibrationChoice::conformal;
  return plan;
}

CalibrationPlan plan_given(const CalibrationSpec& spec, const DataSet& rows) {
  require_level(where, spec.level);
  CalibrationPlan plan;
  if (spec.kind == CalibrationChoice::none) return plan;
  plan.source = CalibrationSource::given;
  settle_units(rows, plan);
  count_rows_instead(rows.rows(), spec.level, plan);
  plan.kind = settled_kind(spec, plan, rows.rows(), plan.units.count, "the rows given for calibration");
  return plan;
}

namespace {

/// What is known about the held-out rows.
CalibrationRows known_about(const CalibrationPlan& plan, const HeldOut& held_out) {
  CalibrationRows known{.unit = plan.unit};
  for (std::size_t i = 0; i < held_out.targets.size(); ++i) {
    const std::size_t row = held_out.rows.empty() ? i : held_out.rows[i];
    known.units.push_back(plan.units.of_row[row]);
    if (!plan.strata.empty()) known.strata.push_back(plan.strata[row]);
  }
  return known;
}

}  // namespace

Calibration calibrate(const CalibrationPlan& plan, const HeldOut& held_out, double level) {
  const PredictedRows& rows = held_out.predicted;
  if (plan.kind == CalibrationChoice::none) return {};
  const CalibrationRows known = known_about(plan, held_out);
  switch (plan.kind) {
    case CalibrationChoice::automatic:
    case CalibrationChoice::none: return {};
    case CalibrationChoice::nll: return with_units(calibrate_nll(rows, held_out.targets), known);
    case CalibrationChoice::separate: return with_units(calibrate_separate(rows, held_out.targets), known);
    case CalibrationChoice::coverage: return calibrate_coverage(rows, held_out.targets, level);
    case CalibrationChoice::conformal:
    case CalibrationChoice::isotonic: break;
  }
  // A single factor cancels in the bounds; it is there to calibrate the standard deviations themselves.
  const Calibration base = calibrate_nll(rows, held_out.targets);
  if (plan.kind == CalibrationChoice::isotonic) return calibrate_isotonic(rows, held_out.targets, base);
  if (plan.cross()) return calibrate_cross_conformal(rows, held_out.targets, held_out.folds, base, known);
  return calibrate_conformal(rows, held_out.targets, base, known);
}

}  // namespace nomu
