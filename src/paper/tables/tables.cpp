#include "paper/tables/tables.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "paper/run/runner.hpp"

namespace nomu {
namespace {

constexpr const char* all_problems = "all";

/// The finished rows of one method.
struct MethodRows {
  ExperimentMethod method;
  std::vector<ResultRow> rows;
};

/// Every run of the experiment that is finished, each once: in fp32 where there is such a row, else in tf32.
std::vector<MethodRows> finished_rows(const ExperimentSpec& spec, const ResultStore& store) {
  std::vector<MethodRows> all;
  for (const ExperimentMethod& method : spec.methods) all.push_back({.method = method, .rows = {}});
  for (const Piece& piece : expand_experiment(spec, "fp32", false)) {
    const auto into =
        std::ranges::find_if(all, [&](const MethodRows& m) { return m.method.name == piece.method.name; });
    for (const ExperimentRun& run : piece.runs) {
      const ResultRow* row = nullptr;
      for (const char* precision : {"fp32", "tf32", "fp64"}) {
        ResultKey key = run.key;
        key.precision = precision;
        if (row == nullptr) row = store.find(key);
      }
      // Another experiment may have asked for it under another name, on a problem of the same rows.
      if (row != nullptr) into->rows.push_back(*row);
    }
  }
  const ExperimentKind& kind = find_kind(spec);
  if (!kind.together) return all;
  std::vector<ResultRow*> rows;
  for (MethodRows& method : all) {
    for (ResultRow& row : method.rows) rows.push_back(&row);
  }
  kind.together(rows);
  return all;
}

double rounded(double value, std::int64_t decimals) {
  const double unit = std::pow(10.0, static_cast<double>(decimals));
  return std::round(value * unit) / unit;
}

void judge(ReportCell& cell, std::int64_t decimals) {
  if (!cell.ours || !cell.paper) return;
  // Both sides as the paper prints them: its intervals are known to so many decimals only.
  constexpr double slack = 1e-9;
  const double ours = rounded(cell.ours->value, decimals);
  const Interval paper = cell.paper->interval.value_or(Interval{cell.paper->value, cell.paper->value});
  cell.beyond = std::max({0.0, paper.lower - ours, ours - paper.upper});
  const bool meet = rounded(cell.ours->interval.lower, decimals) <= paper.upper + slack &&
                    rounded(cell.ours->interval.upper, decimals) >= paper.lower - slack;
  cell.verdict = cell.beyond < slack ? CellVerdict::inside : meet ? CellVerdict::overlapping : CellVerdict::outside;
}

const ExpectedCell* find_expected(const std::vector<ExpectedCell>& expected, const std::string& problem,
                                  const std::string& method, const std::string& metric) {
  const auto found = std::ranges::find_if(expected, [&](const ExpectedCell& cell) {
    return cell.problem == problem && cell.method == method && cell.metric == metric;
  });
  return found == expected.end() ? nullptr : &*found;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

/// Whether all methods are there that the paper ranks in this line. One that it ranks last may be missing, since it
/// moves no other.
bool rankable(const std::vector<std::string>& there, const std::vector<ExpectedCell>& expected,
              const std::string& problem, const std::string& metric) {
  std::int64_t last = 0;
  std::int64_t best_missing = std::numeric_limits<std::int64_t>::max();
  for (const ExpectedCell& cell : expected) {
    if (cell.problem != problem || cell.metric != metric || !cell.rank) continue;
    last = std::max(last, *cell.rank);
    if (!has(there, cell.method)) best_missing = std::min(best_missing, *cell.rank);
  }
  return best_missing >= last;
}

/// Ranks of one line. The paper ranks one column of a name only: the first of each is ranked here.
void rank(std::span<ReportCell> cells, const std::vector<ExpectedCell>& expected, const std::string& metric) {
  std::vector<ReportCell*> ranked;
  std::vector<Interval> intervals;
  std::vector<std::string> there;
  for (ReportCell& cell : cells) {
    if (!cell.paper || !cell.paper->rank || !cell.ours || has(there, cell.paper->method)) continue;
    there.push_back(cell.paper->method);
    ranked.push_back(&cell);
    intervals.push_back(cell.ours->interval);
  }
  if (ranked.empty() || !rankable(there, expected, ranked[0]->problem, metric)) return;
  const std::vector<std::size_t> ranks = paper_ranks(intervals);
  for (std::size_t i = 0; i < ranked.size(); ++i) ranked[i]->rank = ranks[i];
}

template <class Value>
void add_once(std::vector<Value>& all, const Value& value) {
  if (std::ranges::find(all, value) == all.end()) all.push_back(value);
}

/// Whether a method has runs of every problem; a part of them says nothing about all.
bool covers(const MethodRows& method, const std::vector<std::string>& problems) {
  return std::ranges::all_of(problems, [&](const std::string& problem) {
    return std::ranges::any_of(method.rows, [&](const ResultRow& row) { return row.problem == problem; });
  });
}

/// One line of a table: all methods on one problem, or on all that are counted.
void add_cells(ExperimentReport& report, const ExperimentKind& kind, const ExperimentMetric& metric,
               const std::string& problem, const std::vector<MethodRows>& methods,
               const std::vector<std::string>& counted, const std::vector<ExpectedCell>& expected) {
  const std::size_t first = report.cells.size();
  for (const MethodRows& method : methods) {
    if (problem == all_problems && !covers(method, counted)) continue;
    ReportCell cell{.problem = problem, .method = method.method.title, .metric = metric.title};
    std::vector<const ResultRow*> rows;
    for (const ResultRow& row : method.rows) {
      if (problem == all_problems ? !has(counted, row.problem) : row.problem != problem) continue;
      if (row.status == RunStatus::ok) rows.push_back(&row);
      cell.failed += row.status == RunStatus::ok ? 0 : 1;
    }
    cell.runs = rows.size();
    cell.ours = kind.estimate(metric.name, rows);
    const ExpectedCell* paper = find_expected(expected, problem, method.method.paper, metric.name);
    if (paper != nullptr) cell.paper = *paper;
    judge(cell, report.decimals);
    if (cell.ours || cell.failed > 0) report.cells.push_back(std::move(cell));
  }
  rank(std::span(report.cells).subspan(first), expected, metric.name);
}

/// The course of all methods on one problem. The rows of the initial points come first.
void add_curves(ExperimentReport& report, const ExperimentSpec& spec, const ExperimentKind& kind,
                const std::string& problem, const std::vector<MethodRows>& methods) {
  for (const MethodRows& method : methods) {
    std::vector<const ResultRow*> rows;
    for (const ResultRow& row : method.rows) {
      if (row.problem == problem && row.status == RunStatus::ok) rows.push_back(&row);
    }
    ReportCurve curve{.problem = problem, .method = method.method.title};
    for (std::size_t k = 0; k < kind.curve.size(); ++k) {
      const std::optional<Estimate> estimate = kind.estimate(kind.curve[k], rows);
      if (!estimate) continue;
      const double share = static_cast<double>(k) / static_cast<double>(kind.curve.size() - 1);
      curve.x.push_back(static_cast<double>(spec.rows) + share * static_cast<double>(spec.test_rows));
      curve.mean.push_back(estimate->value);
      curve.lower.push_back(estimate->interval.lower);
      curve.upper.push_back(estimate->interval.upper);
    }
    if (!curve.x.empty()) report.curves.push_back(std::move(curve));
  }
}

}  // namespace

ExperimentReport make_report(const ExperimentSpec& spec, const ResultStore& store) {
  const ExperimentKind& kind = find_kind(spec);
  const std::vector<MethodRows> methods = finished_rows(spec, store);
  std::vector<ExpectedCell> expected;
  if (!spec.expected.empty()) expected = read_expected(spec.expected);
  ExperimentReport report{.title = spec.title, .cells = {}, .origins = {}, .precisions = {}, .decimals = spec.decimals};
  std::vector<std::string> problems = spec.problems;
  std::vector<std::string> counted = spec.problems;
  std::erase_if(counted, [&](const std::string& problem) { return has(spec.beside, problem); });
  if (kind.over_all && spec.whole) problems.emplace_back(all_problems);
  for (const ExperimentMetric& metric : kind.metrics) {
    for (const std::string& problem : problems) add_cells(report, kind, metric, problem, methods, counted, expected);
  }
  report.curve_title = kind.curve_title;
  for (const std::string& problem : spec.problems) add_curves(report, spec, kind, problem, methods);
  for (const MethodRows& method : methods) {
    for (const ResultRow& row : method.rows) {
      add_once(report.origins, row.provenance);
      add_once(report.precisions, row.key.precision);
    }
  }
  return report;
}

}  // namespace nomu
