#include "models/fit/calibration_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "eval/row_checks.hpp"
#include "models/fit/stored_text.hpp"
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
    return std::string(error.message());
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
  if (open && !spec.level_asked && plan.strata.empty()) return CalibrationChoice::nll;
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

/// How many units each name has among the rows listed; 0 for names without any.
std::map<std::string_view, std::size_t> units_by_name(const CalibrationPlan& plan,
                                                      std::span<const std::size_t> listed) {
  std::map<std::string_view, std::set<std::size_t>> units;
  for (const std::string& name : plan.strata) units[name];
  for (const std::size_t i : listed) units[plan.strata[i]].insert(plan.units.of_row[i]);
  std::map<std::string_view, std::size_t> counts;
  for (const auto& [name, found] : units) counts[name] = found.size();
  return counts;
}

/// Rows of names that have too few units of their own among the rows listed.
std::size_t rows_without_claim(const CalibrationPlan& plan, std::span<const std::size_t> listed, double level) {
  std::set<std::string_view> few;
  for (const auto& [name, count] : units_by_name(plan, listed)) {
    if (!refusal(CalibrationChoice::conformal, count, level, plan.unit).empty()) few.insert(name);
  }
  return static_cast<std::size_t>(
      std::ranges::count_if(plan.strata, [&](const std::string& name) { return few.contains(name); }));
}

/// Refuses names of which none has enough rows: nothing would hold within any of them.
void check_strata(const CalibrationSpec& spec, const DataSet& data, const CalibrationPlan& plan,
                  std::span<const std::size_t> listed) {
  if (plan.strata.empty() || rows_without_claim(plan, listed, spec.level) < plan.strata.size()) return;
  const std::map<std::string_view, std::size_t> counts = units_by_name(plan, listed);
  const auto most = std::ranges::max_element(counts, {}, [](const auto& name) { return name.second; });
  throw ConfigError(
      where,
      fmt::format("{} of '{}', the most frequent name{}; choose a lower level, get more {}, or fit without "
                  "coverage by a column",
                  refusal(CalibrationChoice::conformal, most->second, spec.level, plan.unit), most->first,
                  data.strata_name.empty() ? "" : fmt::format(" of '{}'", data.strata_name), unit_word(plan.unit)));
}

bool use_folds(const CalibrationSpec& spec, const DataSet& data, const CalibrationPlan& plan, const Split& once) {
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
  if (!claims || data.rows() > most_for_folds) return false;
  const std::size_t held_out = units_among(plan.units, once.test);
  if (counted && !refusal(CalibrationChoice::conformal, held_out, spec.level, plan.unit).empty()) return true;
  return !plan.strata.empty() && 2 * rows_without_claim(plan, once.test, spec.level) > data.rows();
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
  plan.strata = data.strata;
  plan.units = stratified(std::move(plan.units), plan.strata);
  if (plan.unit == CalibrationUnit::new_groups && plan.units.count < 2) {
    throw DataError(where, "all rows are of one group, so nothing can be learned about other groups");
  }
  const std::uint64_t split_seed = derived_seed(seed, split_purpose);
  plan.split = !data.times.empty()    ? HeldOutSplit::time
               : !data.groups.empty() ? HeldOutSplit::group
                                      : HeldOutSplit::random;
  Split once =
      data.times.empty() ? unit_split(plan.units, spec.hold_out, split_seed) : time_split(data.times, spec.hold_out);
  // Adaptive bounds continue from the latest of them.
  if (!data.times.empty()) std::ranges::stable_sort(once.test, {}, [&](std::size_t i) { return data.times[i]; });
  std::size_t used = units_among(plan.units, once.test);
  std::size_t rows = once.test.size();
  if (use_folds(spec, data, plan, once)) {
    plan.source = CalibrationSource::folds;
    plan.splits = unit_folds(plan.units, std::min(static_cast<std::size_t>(spec.folds), plan.units.count), split_seed);
    used = plan.units.count;
    rows = data.rows();
  } else {
    plan.source = CalibrationSource::hold_out;
    plan.splits = {once};
  }
  plan.kind = settled_kind(spec, plan, rows, used, which_text(plan, used));
  check_strata(spec, data, plan,
               plan.source == CalibrationSource::folds ? rows_as_units(data.rows()).of_row : plan.splits[0].test);
  if (plan.cross() && !plan.strata.empty() && plan.units.stratum.empty()) {
    throw ConfigError(where,
                      fmt::format("some {} have rows of several names in the column of coverage_by, so that folds "
                                  "cannot hold the same share of each name; set calibration.policy=hold_out, or "
                                  "give calibration rows of their own",
                                  unit_word(plan.unit)));
  }
  // The split conformal guarantee holds only for a model that never saw the calibration rows.
  plan.refit = plan.source == CalibrationSource::folds ? !plan.cross() : plan.kind != CalibrationChoice::conformal;
  return plan;
}

CalibrationPlan plan_given(const CalibrationSpec& spec, const DataSet& rows) {
  require_level(where, spec.level);
  CalibrationPlan plan;
  if (spec.kind == CalibrationChoice::none) return plan;
  check_stored_strata(rows);
  plan.source = CalibrationSource::given;
  settle_units(rows, plan);
  count_rows_instead(rows.rows(), spec.level, plan);
  plan.strata = rows.strata;
  plan.kind = settled_kind(spec, plan, rows.rows(), plan.units.count, "the rows given for calibration");
  check_strata(spec, rows, plan, rows_as_units(rows.rows()).of_row);
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
