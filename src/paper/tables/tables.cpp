#include "paper/tables/tables.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "paper/run/runner.hpp"
#include "paper/tables/best_width.hpp"
#include "paper/tables/verdicts.hpp"

namespace nomu {
namespace {

constexpr const char* all_problems = "all";
// Fewer do not tell their own standard error; data sets may have no more splits than a few.
constexpr std::size_t enough_runs = 8;
constexpr std::size_t enough_splits = 4;

/// The finished rows of one method.
struct MethodRows {
  ExperimentMethod method;
  std::vector<ResultRow> rows;
};

/// Every finished run of the experiment once: in fp32 if stored, else in tf32, else in fp64.
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
      // Another experiment may have run it under another name, on a problem with the same rows.
      if (row != nullptr) into->rows.push_back(*row);
    }
  }
  const ExperimentKind& kind = find_kind(spec);
  if (!kind.update_rows) return all;
  std::vector<ResultRow*> rows;
  for (MethodRows& method : all) {
    for (ResultRow& row : method.rows) rows.push_back(&row);
  }
  kind.update_rows(rows);
  return all;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

template <class Value>
void add_once(std::vector<Value>& all, const Value& value) {
  if (std::ranges::find(all, value) == all.end()) all.push_back(value);
}

/// Whether a method has runs of every problem; if not, it is left out of the line for all problems.
bool covers(const MethodRows& method, const std::vector<std::string>& problems) {
  return std::ranges::all_of(problems, [&](const std::string& problem) {
    return std::ranges::any_of(method.rows, [&](const ResultRow& row) { return row.problem == problem; });
  });
}

/// The number of runs on the problem that has fewest.
std::size_t fewest_runs(const std::vector<const ResultRow*>& rows) {
  std::map<std::string, std::size_t> runs;
  for (const ResultRow* row : rows) ++runs[row->problem];
  std::size_t fewest = rows.size();
  for (const auto& [problem, count] : runs) fewest = std::min(fewest, count);
  return fewest;
}

/// Whether no method before it runs on the problem under the same name in the paper.
bool first_of_column(const ExperimentMethod& method, const std::vector<MethodRows>& methods,
                     const std::string& problem) {
  for (const MethodRows& other : methods) {
    if (other.method.name == method.name) return true;
    const std::vector<std::string>& on = other.method.problems;
    if (other.method.paper == method.paper && (on.empty() || problem == all_problems || contains(on, problem)))
      return false;
  }
  return true;
}

/// Adds one line of a table: all methods on one problem, or on all counted problems.
void add_cells(ExperimentReport& report, const ExperimentKind& kind, const ExperimentMetric& metric,
               const std::string& problem, const std::vector<MethodRows>& methods,
               const std::vector<std::string>& counted, const std::vector<ExpectedCell>& expected) {
  const std::size_t first = report.cells.size();
  for (const MethodRows& method : methods) {
    if (problem == all_problems && !covers(method, counted)) continue;
    ReportCell cell{.problem = problem, .method = method.method.title, .metric = metric.title};
    std::vector<const ResultRow*> rows;
    for (const ResultRow& row : method.rows) {
      if (problem == all_problems ? !contains(counted, row.problem) : row.problem != problem) continue;
      if (row.status == RunStatus::ok) rows.push_back(&row);
      cell.failed += row.status == RunStatus::ok ? 0 : 1;
    }
    cell.runs = rows.size();
    cell.few = fewest_runs(rows) < (kind.most_runs ? enough_splits : enough_runs);
    cell.main = first_of_column(method.method, methods, problem);
    cell.ours = kind.estimate(metric.name, rows);
    const ExpectedCell* paper = find_expected(expected, problem, method.method.paper, metric.name);
    if (paper != nullptr) cell.paper = *paper;
    compare_with_paper(cell, report.decimals);
    if (cell.ours || cell.failed > 0) report.cells.push_back(std::move(cell));
  }
  rank_line(std::span(report.cells).subspan(first), expected, metric.name);
}

/// Adds the curves of all methods on one problem. The x axis starts after the initial points.
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
  std::erase_if(counted, [&](const std::string& problem) { return contains(spec.not_in_total, problem); });
  if (kind.over_all && spec.all_problems) problems.emplace_back(all_problems);
  for (const ExperimentMetric& metric : kind.metrics) {
    for (const std::string& problem : problems) add_cells(report, kind, metric, problem, methods, counted, expected);
  }
  if (kind.widths && kind.over_all && spec.all_problems) {
    counted.emplace_back(all_problems);
    add_best_width(report, spec.methods, counted, kind.metrics[0].title, expected);
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
