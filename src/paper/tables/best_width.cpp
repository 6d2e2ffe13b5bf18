#include "paper/tables/best_width.hpp"

#include <algorithm>
#include <optional>

#include "paper/tables/verdicts.hpp"

namespace nomu {
namespace {

constexpr const char* expected_metric = "best";

struct Family {
  std::string name;                 ///< in the paper
  std::vector<std::string> titles;  ///< of its methods, the first for every width
};

std::vector<Family> families_of(const std::vector<ExperimentMethod>& methods) {
  std::vector<Family> families;
  std::vector<std::string> seen;
  for (const ExperimentMethod& method : methods) {
    if (method.paper.empty() || std::ranges::find(seen, method.paper) != seen.end()) continue;
    seen.push_back(method.paper);
    const std::string name = method.paper.substr(0, method.paper.find(" MW "));
    auto family = std::ranges::find(families, name, &Family::name);
    if (family == families.end()) family = families.insert(families.end(), {.name = name, .titles = {}});
    family->titles.push_back(method.title);
  }
  return families;
}

const ReportCell* find_cell(const ExperimentReport& report, const std::string& metric, const std::string& problem,
                            const std::string& method) {
  const auto found = std::ranges::find_if(report.cells, [&](const ReportCell& cell) {
    return cell.metric == metric && cell.problem == problem && cell.method == method && cell.ours;
  });
  return found == report.cells.end() ? nullptr : &*found;
}

/// The method of a family with the smallest average; empty if one of its widths has none yet.
std::optional<std::string> best_of(const ExperimentReport& report, const Family& family, const std::string& metric,
                                   const std::string& all) {
  std::optional<std::string> best;
  double least = 0.0;
  for (const std::string& title : family.titles) {
    const ReportCell* cell = find_cell(report, metric, all, title);
    if (cell == nullptr) return std::nullopt;
    if (best && cell->ours->value >= least) continue;
    best = title;
    least = cell->ours->value;
  }
  return best;
}

}  // namespace

void add_best_width(ExperimentReport& report, const std::vector<ExperimentMethod>& methods,
                    const std::vector<std::string>& problems, const std::string& metric_title,
                    const std::vector<ExpectedCell>& expected) {
  const std::vector<Family> families = families_of(methods);
  std::vector<ReportCell> added;
  for (const std::string& problem : problems) {
    std::vector<ReportCell> line;
    for (const Family& family : families) {
      const std::optional<std::string> best = best_of(report, family, metric_title, problems.back());
      const ReportCell* from = best ? find_cell(report, metric_title, problem, *best) : nullptr;
      const ExpectedCell* paper = find_expected(expected, problem, family.name, expected_metric);
      if (from == nullptr || paper == nullptr) continue;
      ReportCell cell{.problem = problem,
                      .method = *best,
                      .metric = metric_title + ", better width",
                      .ours = from->ours,
                      .runs = from->runs,
                      .few = from->few,
                      .failed = from->failed,
                      .paper = *paper,
                      .main = true};
      compare_with_paper(cell, report.decimals);
      line.push_back(std::move(cell));
    }
    // HDE costs more than all others together; where it was not run, the paper's number stands for it.
    rank_line(line, expected, expected_metric, 1);
    added.insert(added.end(), line.begin(), line.end());
  }
  report.cells.insert(report.cells.end(), added.begin(), added.end());
}

}  // namespace nomu
