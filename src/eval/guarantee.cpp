#include <fmt/format.h>

#include <algorithm>
#include <set>

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

/// What a set of scores proves for the rows that it serves.
double proven_coverage(const Calibration& c, const ScoreSet& set, double level) {
  if (c.unit == CalibrationUnit::later_rows) return 0.0;
  if (c.kind == CalibrationKind::conformal) return level;
  return cross_coverage(set.units, fold_count(c), !set.masses.empty(), level);
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

/// Within which names the claim holds.
std::string strata_note(const Calibration& c, double level) {
  if (c.strata.empty()) return {};
  std::size_t own = 0;
  std::size_t rare = 0;
  for (const StratumClaim& claim : stratum_claims(c, level)) {
    own += claim.basis == StratumClaim::Basis::own ? 1 : 0;
    rare += claim.basis == StratumClaim::Basis::rare_together ? 1 : 0;
  }
  std::string text;
  if (own > 0) text += own == 1 ? ", within 1 name" : fmt::format(", within each of {} names by itself", own);
  if (rare > 0) text += fmt::format("{} for rare names together ({})", own > 0 ? " and" : ",", rare);
  return text + "; nothing is promised for rows of other names";
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

std::vector<StratumClaim> stratum_claims(const Calibration& calibration, double level) {
  if (calibration.strata.empty()) return {};
  check_calibration(calibration);
  const LevelSets sets(calibration, level);
  std::vector<StratumClaim> claims;
  for (const std::string& name : calibration.strata) claims.push_back({.name = name});
  std::vector<std::set<std::size_t>> units(claims.size());
  for (std::size_t i = 0; i < calibration.rows; ++i) {
    const std::size_t stratum = calibration.score_strata[i];
    ++claims[stratum].rows;
    units[stratum].insert(calibration.score_units.empty() ? i : calibration.score_units[i]);
  }
  for (std::size_t s = 0; s < claims.size(); ++s) {
    claims[s].units = units[s].size();
    claims[s].basis = sets.basis(s);
    if (claims[s].basis != StratumClaim::Basis::nothing)
      claims[s].coverage = proven_coverage(calibration, sets.of(s), level);
  }
  return claims;
}

double guaranteed_coverage(const Calibration& calibration, double level) {
  if (calibration.kind != CalibrationKind::cross_conformal) (void)multipliers(calibration, level);
  if (calibration.kind != CalibrationKind::cross_conformal && calibration.kind != CalibrationKind::conformal)
    return 0.0;
  check_calibration(calibration);
  const LevelSets sets(calibration, level);  // throws for levels that are not supported
  if (calibration.strata.empty()) return proven_coverage(calibration, sets.widest(), level);
  double proven = 1.0;
  for (std::size_t s = 0; s < calibration.strata.size(); ++s) {
    if (sets.basis(s) != StratumClaim::Basis::nothing)
      proven = std::min(proven, proven_coverage(calibration, sets.of(s), level));
  }
  return proven;
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
