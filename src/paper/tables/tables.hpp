#pragma once
/// An experiment compared with the paper: for every cell of its tables our value, interval and number of runs, the
/// paper's value, a verdict, and the ranks by the paper's rule. Rendered as text, markdown, CSV and SVG.

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

/// One number in the paper.
struct ExpectedCell {
  std::string problem;
  std::string method;
  std::string metric;
  double value = 0.0;
  std::optional<Interval> interval = {};
  std::optional<std::int64_t> rank = {};
};

/// Columns problem, method, metric, value, lower, upper, rank; cells are empty if the paper gives no number. Throws
/// DataError naming row and column.
[[nodiscard]] std::vector<ExpectedCell> read_expected(const std::filesystem::path& file);

/// How our number compares with the paper's, both rounded as in the paper.
enum class CellVerdict {
  inside,       ///< our value lies in the paper's interval
  overlapping,  ///< it does not, but the intervals overlap
  outside,
  unknown  ///< one of the two is missing
};

/// Whether our number can come from the same distribution as the paper's.
enum class Consistency {
  consistent,  ///< |z| <= 1.96
  different,
  undecided,  ///< our standard error is more than twice the paper's, or there are too few runs to know it
  unknown     ///< one of the two numbers is missing, or the paper gives no interval
};

struct RankRange {
  std::int64_t best = 0;
  std::int64_t worst = 0;
};

struct ReportCell {
  std::string problem;
  std::string method;  ///< title
  std::string metric;  ///< title
  std::optional<Estimate> ours = {};
  std::size_t runs = 0;    ///< number of runs behind our value
  bool few = false;        ///< too few on one of the problems to know their own standard error
  std::size_t failed = 0;  ///< diverged or degenerate runs, not part of our value
  std::optional<ExpectedCell> paper = {};
  bool main = false;                     ///< whether it is the experiment's first method of the paper's column
  std::optional<std::size_t> rank = {};  ///< our rank by the paper's rule, among the methods the paper ranks
  CellVerdict verdict = CellVerdict::unknown;
  double beyond = 0.0;           ///< distance from the paper's interval to our value
  std::optional<double> z = {};  ///< difference in units of the combined standard error
  Consistency consistency = Consistency::unknown;
  std::optional<RankRange> rank_range = {};  ///< holds 95 % of our ranks when the runs are repeated
};

/// How a value of one method developed over its runs on one problem: means with 95 % intervals.
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
  std::vector<Provenance> origins;  ///< where the rows were computed, without duplicates
  std::vector<std::string> precisions;
  std::int64_t decimals = 2;
  std::vector<ReportCurve> curves = {};  ///< problem by problem, for kinds that store a run's curve
  std::string curve_title = {};
};

/// Everything the store has of the experiment, in any precision; if a run is stored in several, fp32 comes before tf32.
[[nodiscard]] ExperimentReport make_report(const ExperimentSpec& spec, const ResultStore& store);

[[nodiscard]] std::string report_text(const ExperimentReport& report);
[[nodiscard]] std::string report_markdown(const ExperimentReport& report);
[[nodiscard]] std::string report_csv(const ExperimentReport& report);
[[nodiscard]] std::string report_svg(const ExperimentReport& report);
/// One plot per problem with the curves of all methods, on a logarithmic axis; empty if there are none.
[[nodiscard]] std::string curves_svg(const ExperimentReport& report);

}  // namespace nomu
