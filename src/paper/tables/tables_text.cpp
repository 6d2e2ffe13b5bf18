#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "nomu/data/table_io.hpp"
#include "paper/tables/tables.hpp"

namespace nomu {
namespace {

constexpr std::array headings = {"problem", "method", "ours", "runs", "paper", "verdict", "z", "rank (paper)"};
constexpr std::array consistency_names = {"consistent", "different", "undecided", ""};
using Line = std::array<std::string, headings.size()>;

std::string number(double value, std::int64_t decimals) { return fmt::format("{:.{}f}", value, decimals); }

/// Decimals that show the first two digits of a number below 1.
std::int64_t decimals_for(double value) {
  if (value == 0.0 || !std::isfinite(value)) return 0;
  return std::max<std::int64_t>(0, 1 - static_cast<std::int64_t>(std::floor(std::log10(std::abs(value)))));
}

/// At most the paper's decimals and no more than the interval allows, but always two digits of the value.
std::int64_t decimals_of(double value, const std::optional<Interval>& interval, std::int64_t decimals) {
  constexpr std::int64_t most = 9;
  if (interval && interval->upper > interval->lower)
    decimals = std::min(decimals, decimals_for(0.5 * (interval->upper - interval->lower)));
  return std::min(most, std::max(decimals, std::abs(value) < 0.1 ? decimals_for(value) : 0));
}

std::string with_interval(double value, const std::optional<Interval>& interval, std::int64_t most_decimals) {
  const std::int64_t decimals = decimals_of(value, interval, most_decimals);
  if (!interval) return number(value, decimals);
  return fmt::format("{} [{}, {}]", number(value, decimals), number(interval->lower, decimals),
                     number(interval->upper, decimals));
}

std::string verdict_text(const ReportCell& cell, std::int64_t decimals) {
  switch (cell.verdict) {
    case CellVerdict::inside: return "inside";
    case CellVerdict::overlapping:
      return fmt::format("overlapping, {} beyond", with_interval(cell.beyond, {}, decimals));
    case CellVerdict::outside: return fmt::format("outside, {} beyond", with_interval(cell.beyond, {}, decimals));
    default: return "";
  }
}

const char* consistency_of(const ReportCell& cell) {
  return consistency_names.at(static_cast<std::size_t>(cell.consistency));
}

/// "2 to 3 (2)": our rank, or the range of it, and the paper's.
std::string rank_text(const ReportCell& cell) {
  const RankRange& range = *cell.rank_range;
  const std::string ours = range.best == range.worst ? fmt::format("{}", *cell.rank)
                                                     : fmt::format("{}, {} to {}", *cell.rank, range.best, range.worst);
  return fmt::format("{} ({})", ours, *cell.paper->rank);
}

bool rank_agrees(const ReportCell& cell) {
  return cell.rank_range->best <= *cell.paper->rank && *cell.paper->rank <= cell.rank_range->worst;
}

Line line_of(const ReportCell& cell, std::int64_t decimals) {
  Line line{cell.problem,
            cell.method,
            cell.ours ? with_interval(cell.ours->value, cell.ours->interval, decimals) : "",
            cell.failed == 0 ? fmt::format("{}", cell.runs) : fmt::format("{} + {} failed", cell.runs, cell.failed),
            cell.paper ? with_interval(cell.paper->value, cell.paper->interval, decimals) : "",
            verdict_text(cell, decimals),
            cell.z ? fmt::format("{:.1f} {}", *cell.z, consistency_of(cell)) : "",
            ""};
  if (cell.rank) line[7] = rank_text(cell);
  return line;
}

/// The metrics of a report, in order.
std::vector<std::string> metrics_of(const ExperimentReport& report) {
  std::vector<std::string> metrics;
  for (const ReportCell& cell : report.cells) {
    if (std::ranges::find(metrics, cell.metric) == metrics.end()) metrics.push_back(cell.metric);
  }
  return metrics;
}

std::vector<Line> lines_of(const ExperimentReport& report, const std::string& metric) {
  std::vector<Line> lines;
  for (const ReportCell& cell : report.cells) {
    if (cell.metric == metric) lines.push_back(line_of(cell, report.decimals));
  }
  return lines;
}

/// "12 inside, 3 overlapping, 1 outside; 14 consistent, 1 different, 1 undecided; 18 of 20 ranks as in the paper".
std::string summary(const ExperimentReport& report, const std::string& metric) {
  std::array<std::size_t, 4> verdicts{};
  std::array<std::size_t, 4> decided{};
  std::size_t ranks = 0;
  std::size_t equal = 0;
  std::size_t agreeing = 0;
  for (const ReportCell& cell : report.cells) {
    if (cell.metric != metric) continue;
    ++verdicts.at(static_cast<std::size_t>(cell.verdict));
    ++decided.at(static_cast<std::size_t>(cell.consistency));
    if (!cell.rank) continue;
    ++ranks;
    if (static_cast<std::int64_t>(*cell.rank) == *cell.paper->rank) ++equal;
    if (rank_agrees(cell)) ++agreeing;
  }
  std::string text =
      fmt::format("{} inside the paper's interval, {} overlapping, {} outside", verdicts[0], verdicts[1], verdicts[2]);
  text += fmt::format("; {} consistent, {} different, {} undecided", decided[0], decided[1], decided[2]);
  if (ranks > 0) {
    text += fmt::format("; {} of {} ranks as in the paper, {} with the paper's in the range of ours", equal, ranks,
                        agreeing);
  }
  return text;
}

std::string origins_text(const ExperimentReport& report) {
  std::vector<std::string> origins;
  for (const Provenance& from : report.origins) {
    origins.push_back(fmt::format("{} ({}, {})", from.engine, from.provider, from.isa));
  }
  std::ranges::sort(origins);
  origins.erase(std::unique(origins.begin(), origins.end()), origins.end());
  if (origins.empty()) return "Nothing is finished";
  return fmt::format("Computed on {} in {}", fmt::join(origins, ", "), fmt::join(report.precisions, ", "));
}

}  // namespace

std::string report_text(const ExperimentReport& report) {
  std::string text = fmt::format("{}: {}\n", report.title, origins_text(report));
  for (const std::string& metric : metrics_of(report)) {
    std::vector<Line> lines = lines_of(report, metric);
    Line head;
    std::ranges::copy(headings, head.begin());
    lines.insert(lines.begin(), head);
    std::array<std::size_t, headings.size()> widths{};
    for (const Line& line : lines) {
      for (std::size_t i = 0; i < line.size(); ++i) widths.at(i) = std::max(widths.at(i), line.at(i).size());
    }
    text += fmt::format("\n{}: {}\n", metric, summary(report, metric));
    for (const Line& line : lines) {
      std::string row;
      for (std::size_t i = 0; i < line.size(); ++i) row += fmt::format("{:<{}}  ", line.at(i), widths.at(i));
      row.erase(row.find_last_not_of(' ') + 1);
      text += row + "\n";
    }
  }
  return text;
}

std::string report_markdown(const ExperimentReport& report) {
  std::string text = fmt::format("## {}\n\n{}.\n", report.title, origins_text(report));
  for (const std::string& metric : metrics_of(report)) {
    text += fmt::format("\n### {}: {}\n\n{}.\n\n", report.title, metric, summary(report, metric));
    text +=
        fmt::format("| {} |\n|{}\n", fmt::join(headings, " | "), " --- | --- | --- | --- | --- | --- | --- | --- |");
    for (const Line& line : lines_of(report, metric)) text += fmt::format("| {} |\n", fmt::join(line, " | "));
  }
  return text;
}

std::string report_csv(const ExperimentReport& report) {
  constexpr std::array names = {"metric",     "problem",      "method",     "value",       "lower",       "upper",
                                "runs",       "failed",       "paper",      "paper_lower", "paper_upper", "verdict",
                                "beyond",     "rank",         "paper_rank", "z",           "consistency", "rank_best",
                                "rank_worst", "paper_method", "main"};
  constexpr std::array verdicts = {"inside", "overlapping", "outside", ""};
  std::vector<Column> columns(names.begin(), names.end());
  for (const ReportCell& cell : report.cells) {
    const double none = std::nan("");
    const Interval no_interval{.lower = none, .upper = none};
    const Estimate ours = cell.ours.value_or(Estimate{.value = none, .interval = no_interval});
    const Interval paper = cell.paper ? cell.paper->interval.value_or(no_interval) : no_interval;
    const std::array<std::string, names.size()> line = {
        cell.metric,
        cell.problem,
        cell.method,
        format_number(ours.value),
        format_number(ours.interval.lower),
        format_number(ours.interval.upper),
        fmt::format("{}", cell.runs),
        fmt::format("{}", cell.failed),
        format_number(cell.paper ? cell.paper->value : none),
        format_number(paper.lower),
        format_number(paper.upper),
        verdicts.at(static_cast<std::size_t>(cell.verdict)),
        cell.verdict == CellVerdict::unknown ? "" : format_number(cell.beyond),
        cell.rank ? fmt::format("{}", *cell.rank) : "",
        cell.paper && cell.paper->rank ? fmt::format("{}", *cell.paper->rank) : "",
        cell.z ? format_number(*cell.z) : "",
        consistency_of(cell),
        cell.rank_range ? fmt::format("{}", cell.rank_range->best) : "",
        cell.rank_range ? fmt::format("{}", cell.rank_range->worst) : "",
        cell.paper ? cell.paper->method : "",
        cell.main ? "yes" : ""};
    for (std::size_t i = 0; i < line.size(); ++i) columns[i].push_back(line.at(i));
  }
  return format_table(Table("report", std::move(columns), {}));
}

}  // namespace nomu
