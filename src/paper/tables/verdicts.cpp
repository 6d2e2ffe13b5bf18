#include "paper/tables/verdicts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "nomu/core/error.hpp"
#include "nomu/core/random.hpp"

namespace nomu {
namespace {

constexpr double two_sided = 1.959963984540054;  // 95 % of a normal distribution lie within this many deviations

double rounded(double value, std::int64_t decimals) {
  const double unit = std::pow(10.0, static_cast<double>(decimals));
  return std::round(value * unit) / unit;
}

/// By the width of a 95 % interval, which for medians comes from the bootstrap.
double error_of(const Interval& interval) { return (interval.upper - interval.lower) / (2.0 * two_sided); }

/// z = difference / sqrt(se_paper^2 + se_ours^2), where rounding to the printed decimals is part of the paper's error.
void decide(ReportCell& cell, const Interval& paper, std::int64_t decimals) {
  const double rounding = std::pow(10.0, -static_cast<double>(decimals)) / std::sqrt(12.0);
  const double of_paper = std::hypot(error_of(paper), rounding);
  const double of_ours = error_of(cell.ours->interval);
  cell.z = (cell.ours->value - cell.paper->value) / std::hypot(of_paper, of_ours);
  if (cell.few || of_ours > 2.0 * of_paper) {
    cell.consistency = Consistency::undecided;
  } else {
    cell.consistency = std::abs(*cell.z) <= two_sided ? Consistency::consistent : Consistency::different;
  }
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

/// The methods that the paper ranks in this line and that are not present.
std::vector<ExpectedCell> missing_methods(const std::vector<std::string>& present,
                                          const std::vector<ExpectedCell>& expected, const std::string& problem,
                                          const std::string& metric) {
  std::vector<ExpectedCell> missing;
  std::ranges::copy_if(expected, std::back_inserter(missing), [&](const ExpectedCell& cell) {
    return cell.problem == problem && cell.metric == metric && cell.rank && !contains(present, cell.method);
  });
  return missing;
}

/// Whether ours can be ranked without the missing methods. One that the paper ranks last may be missing, because it
/// does not affect the ranks of others.
bool rankable(const std::vector<ExpectedCell>& missing, const std::vector<ReportCell*>& ranked) {
  return std::ranges::all_of(missing, [&](const ExpectedCell& cell) {
    return std::ranges::all_of(ranked, [&](const ReportCell* one) { return *one->paper->rank <= *cell.rank; });
  });
}

/// Between which ranks 95 % of the repetitions of a line lie, by a parametric bootstrap: every value is drawn anew with
/// its standard error, and its interval moves along.
std::vector<RankRange> rank_ranges(std::span<const Interval> intervals) {
  constexpr std::size_t draws = 2000;
  constexpr std::uint32_t stream = 0x72616E6B;
  Random random(1, stream);
  std::vector<std::vector<double>> ranks(intervals.size());
  std::vector<Interval> moved(intervals.size());
  for (std::size_t k = 0; k < draws; ++k) {
    for (std::size_t i = 0; i < intervals.size(); ++i) {
      const double shift = error_of(intervals[i]) * random.normal();
      moved[i] = {.lower = intervals[i].lower + shift, .upper = intervals[i].upper + shift};
    }
    const std::vector<std::size_t> drawn = paper_ranks(moved);
    for (std::size_t i = 0; i < drawn.size(); ++i) ranks[i].push_back(static_cast<double>(drawn[i]));
  }
  std::vector<RankRange> ranges;
  ranges.reserve(ranks.size());
  for (const std::vector<double>& all : ranks) {
    ranges.push_back({.best = static_cast<std::int64_t>(std::floor(quantile(all, 0.025))),
                      .worst = static_cast<std::int64_t>(std::ceil(quantile(all, 0.975)))});
  }
  return ranges;
}

}  // namespace

std::vector<std::size_t> paper_ranks(std::span<const Interval> intervals) {
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    const auto& [lower, upper] = intervals[i];
    if (!(std::isfinite(lower) && std::isfinite(upper) && lower <= upper)) {
      throw DataError("paper/tables",
                      fmt::format("interval {} (counted from 0) is [{}, {}]; its ends must be finite and in "
                                  "order",
                                  i, lower, upper));
    }
  }
  std::vector<std::size_t> ranks;
  for (const Interval& mine : intervals) {
    const auto better = std::ranges::count_if(intervals, [&](const Interval& o) { return o.upper < mine.lower; });
    ranks.push_back(1 + static_cast<std::size_t>(better));
  }
  return ranks;
}

const ExpectedCell* find_expected(const std::vector<ExpectedCell>& expected, const std::string& problem,
                                  const std::string& method, const std::string& metric) {
  const auto found = std::ranges::find_if(expected, [&](const ExpectedCell& cell) {
    return cell.problem == problem && cell.method == method && cell.metric == metric;
  });
  return found == expected.end() ? nullptr : &*found;
}

void compare_with_paper(ReportCell& cell, std::int64_t decimals) {
  if (!cell.ours || !cell.paper) return;
  // Both sides are rounded as in the paper, because its intervals are only known to that many decimals.
  constexpr double slack = 1e-9;
  const double ours = rounded(cell.ours->value, decimals);
  const Interval paper = cell.paper->interval.value_or(Interval{cell.paper->value, cell.paper->value});
  cell.beyond = std::max({0.0, paper.lower - ours, ours - paper.upper});
  const bool overlap = rounded(cell.ours->interval.lower, decimals) <= paper.upper + slack &&
                       rounded(cell.ours->interval.upper, decimals) >= paper.lower - slack;
  cell.verdict = cell.beyond < slack ? CellVerdict::inside : overlap ? CellVerdict::overlapping : CellVerdict::outside;
  if (cell.paper->interval) decide(cell, paper, decimals);
}

void rank_line(std::span<ReportCell> cells, const std::vector<ExpectedCell>& expected, const std::string& metric,
               std::size_t stand_ins) {
  std::vector<ReportCell*> ranked;
  std::vector<Interval> intervals;
  std::vector<std::string> present;
  for (ReportCell& cell : cells) {
    if (!cell.paper || !cell.paper->rank || !cell.ours || contains(present, cell.paper->method)) continue;
    present.push_back(cell.paper->method);
    ranked.push_back(&cell);
    intervals.push_back(cell.ours->interval);
  }
  if (ranked.empty()) return;
  const std::vector<ExpectedCell> missing = missing_methods(present, expected, ranked[0]->problem, metric);
  if (missing.size() <= stand_ins) {
    for (const ExpectedCell& cell : missing)
      intervals.push_back(cell.interval.value_or(Interval{cell.value, cell.value}));
  } else if (!rankable(missing, ranked)) {
    return;
  }
  const std::vector<std::size_t> ranks = paper_ranks(intervals);
  const std::vector<RankRange> ranges = rank_ranges(intervals);
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    ranked[i]->rank = ranks[i];
    ranked[i]->rank_range = ranges[i];
  }
}

}  // namespace nomu
