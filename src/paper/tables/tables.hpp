#pragma once
/// An experiment beside the paper: our value, interval and number of runs for every cell of its tables, the paper's, a
/// verdict, and the ranks by the paper's rule. Rendered as text, markdown, CSV and SVG.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "nomu/eval/statistics.hpp"
#include "paper/experiment/experiment.hpp"
#include "paper/kinds/kind.hpp"
#include "paper/results/store.hpp"

namespace nomu {

/// One number of the paper.
struct ExpectedCell {
  std::string problem;
  std::string method;
  std::string metric;
  double value = 0.0;
  std::optional<Interval> interval = {};
  std::optional<std::int64_t> rank = {};
};

/// Columns problem, method, metric, value, lower, upper, rank; empty cells where the paper says nothing. Throws
/// DataError naming row and column.
[[nodiscard]] std::vector<ExpectedCell> read_expected(const std::filesystem::path& file);

/// How our number stands to the paper's, both rounded as the paper prints them.
enum class CellVerdict {
  inside,       ///< our value lies in the paper's interval
  overlapping,  ///< it does not, but the intervals meet
  outside,
  unknown  ///< one of the two is missing
};

struct ReportCell {
  std::string problem;
  std::string method;  ///< title
  std::string metric;  ///< title
  std::optional<Estimate> ours = {};
  std::size_t runs = 0;    ///< behind our value
  std::size_t failed = 0;  ///< diverged or degenerate, not part of it
  std::optional<ExpectedCell> paper = {};
  std::optional<std::size_t> rank = {};  ///< ours by the paper's rule, among the methods the paper ranks
  CellVerdict verdict = CellVerdict::unknown;
  double beyond = 0.0;  ///< from the paper's interval to our value
};

/// How a value of one method developed in the course of its runs on one problem: means with 95 % intervals.
struct ReportCurve {
  std::string problem;
  std::string method;  ///< title
  std::vector<double> x = {};
  std::vector<double> mean = {};
  std::vector<double> lower = {};
  std::vector<double> upper = {};
};

struct ExperimentReport {
  std::string title;
  std::vector<ReportCell> cells;    ///< metric by metric, problem by problem, method by method
  std::vector<Provenance> origins;  ///< of the rows, each once
  std::vector<std::string> precisions;
  std::int64_t decimals = 2;
  std::vector<ReportCurve> curves = {};  ///< problem by problem; of kinds that keep the course of a run
  std::string curve_title = {};
};

/// All that the store has of the experiment, in any precision; where a run is there in several, the first of fp32,
/// tf32.
[[nodiscard]] ExperimentReport make_report(const ExperimentSpec& spec, const ResultStore& store);

[[nodiscard]] std::string report_text(const ExperimentReport& report);
[[nodiscard]] std::string report_markdown(const ExperimentReport& report);
[[nodiscard]] std::string report_csv(const ExperimentReport& report);
[[nodiscard]] std::string report_svg(const ExperimentReport& report);
/// A picture for each problem with the curves of all methods, on a logarithmic axis; empty where there are none.
[[nodiscard]] std::string curves_svg(const ExperimentReport& report);

}  // namespace nomu
