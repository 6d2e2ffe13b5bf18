#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "nomu/models/assess.hpp"

namespace nomu {

std::vector<StratumCoverage> coverage_by_stratum(const Calibration& calibration, const Bounds& bounds,
                                                 std::span<const double> targets, std::span<const std::string> strata,
                                                 double level) {
  if (calibration.strata.empty() || strata.empty()) return {};
  std::map<std::string, std::vector<std::size_t>> rows_of;
  for (std::size_t i = 0; i < strata.size(); ++i) rows_of[strata[i]].push_back(i);
  std::map<std::string, std::size_t> own;  // units of names with scores of their own
  for (const StratumClaim& claim : stratum_claims(calibration, level)) {
    if (claim.basis == StratumClaim::Basis::own) own[claim.name] = claim.units;
  }
  std::vector<StratumCoverage> found;
  for (const auto& [name, rows] : rows_of) {
    Bounds part;
    std::vector<double> part_targets;
    for (const std::size_t i : rows) {
      part.lower.push_back(bounds.lower[i]);
      part.upper.push_back(bounds.upper[i]);
      part_targets.push_back(targets[i]);
    }
    found.push_back(
        {.name = name, .rows = rows.size(), .coverage = coverage(part, part_targets), .mean_width = mean_width(part)});
    if (calibration.kind == CalibrationKind::conformal && own.contains(name))
      found.back().expected = conformal_coverage_interval(own.at(name), rows.size(), level);
  }
  return found;
}

std::string coverage_text(std::span<const StratumCoverage> strata) {
  std::size_t longest = 0;
  for (const StratumCoverage& one : strata) longest = std::max(longest, one.name.size());
  std::string text;
  for (const StratumCoverage& one : strata) {
    text += fmt::format("  {:{}} {:6} rows, coverage {:6.4g} %, mean width {:.4g}", one.name, longest, one.rows,
                        100.0 * one.coverage, one.mean_width);
    if (one.expected) {
      text += fmt::format("   {:.4g} to {:.4g} % is within chance", 100.0 * one.expected->lower,
                          100.0 * one.expected->upper);
    }
    text += "\n";
  }
  return text;
}

}  // namespace nomu
