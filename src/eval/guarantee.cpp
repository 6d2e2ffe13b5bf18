#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "eval/score_set.hpp"
#include "nomu/eval/calibration.hpp"

namespace nomu {
namespace {

/// Number of folds of a cross-conformal calibration; they are numbered without gaps.
std::size_t fold_count(const Calibration& calibration) {
  return *std::ranges::max_element(calibration.score_folds) + 1;
}

/// What CV+ proves for n units in k folds: Barber et al. (2021), Theorem 4. Its second allowance rests on counting
/// comparisons between folds alone, so it holds as well where each unit's rows share a weight of 1.
double cross_coverage(std::size_t units, std::size_t folds, bool weighed, double level) {
  const auto n = static_cast<double>(units);
  const auto k = static_cast<double>(std::min(folds, units));
  const double counted = (1.0 - k / n) / (k + 1.0);
  const double allowance = weighed ? counted : std::min(2.0 * (1.0 - 1.0 / k) / (n / k + 1.0), counted);
  return std::max(0.0, 1.0 - 2.0 * (1.0 - level) - allowance);
}

/// The new rows that the claim is about, with how many there were of their kind.
std::string subject(const Calibration& c, std::string_view rows) {
  const std::size_t n = unit_count(c);
  switch (c.unit) {
    case CalibrationUnit::rows: return fmt::format("a new row like the {} {} (exchangeable with them)", c.rows, rows);
    case CalibrationUnit::new_inputs:
      return fmt::format("a new row with new inputs like the {} distinct ones of the {} {} (exchangeable with them)", n,
                         c.rows, rows);
    case CalibrationUnit::known_inputs:
      return fmt::format("a new row like the {} {} (exchangeable with them), which repeats inputs that are known,",
                         c.rows, rows);
    case CalibrationUnit::new_groups:
      return fmt::format("a row of a new group like the {} groups of the {} {} (exchangeable with them)", n, c.rows,
                         rows);
    case CalibrationUnit::later_rows: break;
  }
  return fmt::format("a later row, if later rows are like the {} latest ones and nothing drifts,", c.rows);
}

std::string_view method_note(const Calibration& c) {
  switch (c.unit) {
    case CalibrationUnit::new_inputs: return ", equal inputs count once";
    case CalibrationUnit::new_groups: return ", each group counts once";
    default: return "";
  }
}

/// What does not follow from the claim.
std::string_view caveat(const Calibration& c) {
  switch (c.unit) {
    case CalibrationUnit::known_inputs: return "; nothing is promised for other inputs";
    case CalibrationUnit::later_rows:
      return "; where they drift this does not hold, but bounds that adapt to results do (predict --adapt)";
    default: return "";
  }
}

std::string strata_note(const Calibration& c, double level) {
  if (c.strata.empty()) return {};
  const std::vector<std::string> pooled = LevelSets(c, level).pooled();
  std::string text = fmt::format("; separately for each of {} names", c.strata.size() - pooled.size());
  if (!pooled.empty()) {
    constexpr std::size_t most = 5;
    const std::vector<std::string> some(pooled.begin(),
                                        pooled.begin() + static_cast<std::ptrdiff_t>(std::min(most, pooled.size())));
    text += fmt::format(", while {}{} {} too few rows for it and {} the bounds of all rows", fmt::join(some, ", "),
                        pooled.size() > most ? fmt::format(" and {} more", pooled.size() - most) : "",
                        pooled.size() == 1 ? "has" : "have", pooled.size() == 1 ? "gets" : "get");
  }
  return text;
}

/// What a calibration by likelihood is worth where the rows are not independent.
std::string measured(const Calibration& c, double level) {
  const bool groups = c.unit == CalibrationUnit::new_groups;
  if (c.units == 0 || !(groups || c.unit == CalibrationUnit::new_inputs)) {
    return fmt::format(
        "{} holds where errors are Gaussian with the calibrated sigma ({} rows); there is no guarantee beyond that",
        percent(level), c.rows);
  }
  const auto n = static_cast<double>(c.units);
  return fmt::format(
      "{} is measured, not proven: it holds where errors are Gaussian with the calibrated sigma ({} rows of {} {}, "
      "Student's t for so few); {} {} prove at most {}",
      percent(level), c.rows, c.units, groups ? "groups" : "distinct inputs", c.units,
      groups ? "groups" : "distinct inputs", percent(n / (n + 1.0)));
}

}  // namespace

double guaranteed_coverage(const Calibration& calibration, double level) {
  if (calibration.kind == CalibrationKind::cross_conformal) {
    check_calibration(calibration);
    const LevelSets sets(calibration, level);  // throws for levels that are not supported
    const std::size_t folds = fold_count(calibration);
    const ScoreSet all = all_scores(calibration);
    double proven = cross_coverage(all.units, folds, !all.masses.empty(), level);
    for (const std::string& name : calibration.strata) {
      const ScoreSet& set = sets.of(name);
      proven = std::min(proven, cross_coverage(set.units, folds, !set.masses.empty(), level));
    }
    return calibration.unit == CalibrationUnit::later_rows ? 0.0 : proven;
  }
  (void)multipliers(calibration, level);
  const bool proven = calibration.kind == CalibrationKind::conformal && calibration.unit != CalibrationUnit::later_rows;
  return proven ? level : 0.0;
}

std::string guarantee(const Calibration& calibration, double level) {
  const std::size_t n = calibration.rows;
  if (calibration.kind == CalibrationKind::width) {
    return "no coverage is guaranteed: the factor sets the mean width of the bounds";
  }
  const double proven = guaranteed_coverage(calibration, level);
  switch (calibration.kind) {
    case CalibrationKind::conformal:
      return fmt::format("{} is covered with probability at least {} (split conformal{}){}{}",
                         subject(calibration, "calibration rows"), percent(level), method_note(calibration),
                         strata_note(calibration, level), caveat(calibration));
    case CalibrationKind::cross_conformal:
      return fmt::format(
          "{} is covered with probability at least {} (1 - 2 alpha for alpha = {}{}{}); in practice about {}{}{}",
          subject(calibration, "rows"), percent(proven), percent(1.0 - level),
          fold_count(calibration) == unit_count(calibration) ? ", jackknife+" : ", less an allowance for folds, CV+",
          method_note(calibration), percent(level), strata_note(calibration, level), caveat(calibration));
    case CalibrationKind::coverage:
      return fmt::format("at least {} of the {} calibration rows are covered; for new rows nothing is guaranteed",
                         percent(level), n);
    case CalibrationKind::isotonic:
      return fmt::format(
          "quantiles match the {} calibration rows; coverage of new rows approaches {} as calibration rows increase, "
          "with no guarantee for a finite number of them",
          n, percent(level));
    default: return measured(calibration, level);
  }
}

}  // namespace nomu
