#include "paper/tables/tables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "message_of.hpp"
#include "nomu/core/error.hpp"
#include "paper/run/runner.hpp"
#include "paper/tables/verdicts.hpp"
#include "unit/paper/experiment_folder.hpp"

namespace nomu {
namespace {

using Verdict = CellVerdict;

using testing::ElementsAre;
using testing::HasSubstr;

/// AUC of all runs of both methods, the same for every run.
void fill(const ExperimentSpec& spec, ResultStore& store, double nomu, double gp) {
  for (const Piece& piece : expand_experiment(spec, "fp32", false)) {
    std::vector<ResultRow> rows;
    for (const ExperimentRun& run : piece.runs) {
      rows.push_back({.key = run.key,
                      .experiment = spec.name,
                      .method = piece.method.name,
                      .problem = run.problem,
                      .status = RunStatus::ok,
                      .values = {{"auc", piece.method.name == "nomu" ? nomu : gp}, {"min_nll", -1.0}},
                      .provenance = {.revision = "r", .engine = "cpu", .provider = "eigen", .isa = "avx2"},
                      .seconds = 0.0});
    }
    store.add(rows);
  }
}

/// The small experiment with a few numbers of the paper, nothing run yet.
struct SmallExperiment {
  SmallExperiment() : store(folder.path() / "rows") {
    (void)folder.write("small.csv", R"(problem,method,metric,value,lower,upper,rank
levy,NOMU,auc,0.40,0.39,0.42,1
levy,GP,auc,0.53,0.51,0.56,2
step,NOMU,auc,0.29,,,
)");
    spec = read_experiment(folder.write("small.toml", small_toy_experiment), ExperimentProfile::full);
  }

  ExperimentFolder folder;
  ResultStore store;
  ExperimentSpec spec;
};

/// The AUC of a method on a problem.
const ReportCell& cell(const ExperimentReport& report, const std::string& method, const std::string& problem = "levy") {
  for (const ReportCell& one : report.cells) {
    if (one.method == method && one.problem == problem && one.metric == "AUC") return one;
  }
  throw std::runtime_error("no such cell");
}

TEST(ExperimentReports, JudgesAsThePaperPrints) {
  SmallExperiment small;
  fill(small.spec, small.store, 0.424, 0.61);
  const ExperimentReport report = make_report(small.spec, small.store);
  EXPECT_EQ(cell(report, "NOMU").verdict, Verdict::inside);
  EXPECT_EQ(cell(report, "NOMU").runs, 3U);
  EXPECT_EQ(cell(report, "GP").verdict, Verdict::outside);
  EXPECT_NEAR(cell(report, "GP").beyond, 0.05, 1e-12);
  EXPECT_EQ(cell(report, "NOMU", "step").verdict, Verdict::outside);
  EXPECT_NEAR(cell(report, "NOMU", "step").beyond, 0.13, 1e-12);
  EXPECT_EQ(cell(report, "NOMU", "all").verdict, Verdict::unknown);
  EXPECT_EQ(cell(report, "NOMU", "all").runs, 6U);
}

TEST(ExperimentReports, RanksBesideThePapers) {
  SmallExperiment small;
  fill(small.spec, small.store, 0.7, 0.6);
  const ExperimentReport report = make_report(small.spec, small.store);
  EXPECT_EQ(cell(report, "NOMU").rank, 2U);
  EXPECT_EQ(cell(report, "GP").rank, 1U);
  EXPECT_FALSE(cell(report, "NOMU", "step").rank.has_value());
  EXPECT_THAT(report_text(report), HasSubstr("0 of 2 ranks as in the paper"));
}

TEST(ExperimentReports, SaysWhetherADifferenceCanBeChance) {
  const auto judged = [](double value, Interval ours, std::size_t runs) {
    ReportCell cell{.problem = "levy", .method = "NOMU", .metric = "AUC"};
    cell.ours = Estimate{.value = value, .interval = ours};
    cell.runs = runs;
    cell.few = runs < 8;
    cell.paper = ExpectedCell{.problem = "levy",
                              .method = "NOMU",
                              .metric = "auc",
                              .value = 0.40,
                              .interval = Interval{.lower = 0.30, .upper = 0.50}};
    compare_with_paper(cell, 2);
    return cell;
  };
  // Both standard errors are 0.1 / 1.96, the paper's with the rounding to two decimals.
  const ReportCell near = judged(0.52, {.lower = 0.42, .upper = 0.62}, 100);
  EXPECT_NEAR(*near.z, 1.66, 0.01);
  EXPECT_EQ(near.consistency, Consistency::consistent);
  EXPECT_EQ(near.verdict, Verdict::overlapping);
  EXPECT_EQ(judged(0.56, {.lower = 0.46, .upper = 0.66}, 100).consistency, Consistency::different);
  EXPECT_EQ(judged(0.40, {.lower = 0.19, .upper = 0.61}, 100).consistency, Consistency::undecided);
  EXPECT_EQ(judged(0.40, {.lower = 0.40, .upper = 0.41}, 3).consistency, Consistency::undecided);
}

TEST(ExperimentReports, RanksHaveARange) {
  const auto line = [](double gp) {
    const auto cell = [](const char* method, double value, std::int64_t rank) {
      ReportCell one{.problem = "levy", .method = method, .metric = "AUC"};
      one.ours = Estimate{.value = value, .interval = {.lower = value - 0.1, .upper = value + 0.1}};
      one.paper = ExpectedCell{.problem = "levy", .method = method, .metric = "auc", .value = value, .rank = rank};
      return one;
    };
    std::vector<ReportCell> cells{cell("NOMU", 0.0, 1), cell("GP", gp, 2)};
    rank_line(cells, {*cells[0].paper, *cells[1].paper}, "auc");
    return cells[1];
  };
  const ReportCell close = line(0.21);  // the intervals just miss each other, so the rank could as well be 1
  EXPECT_EQ(close.rank, 2U);
  EXPECT_EQ(close.rank_range->best, 1);
  EXPECT_EQ(close.rank_range->worst, 2);
  EXPECT_EQ(line(2.0).rank_range->best, 2);
}

TEST(ExperimentReports, NumbersHaveTheDigitsTheyNeed) {
  SmallExperiment small;
  fill(small.spec, small.store, 0.000424, 0.61);
  const std::string text = report_text(make_report(small.spec, small.store));
  EXPECT_THAT(text, HasSubstr("0.00042 [0.00042, 0.00042]"));
  EXPECT_THAT(text, HasSubstr("0.61 [0.61, 0.61]"));
}

TEST(ExperimentReports, RanksNothingWhileAMethodIsMissing) {
  SmallExperiment small;
  ExperimentSpec part = small.spec;
  restrict_to(part, {.methods = {"gp"}, .problems = {}, .runs = 0});
  fill(part, small.store, 0.0, 0.5);
  EXPECT_FALSE(cell(make_report(small.spec, small.store), "GP").rank.has_value());
}

TEST(ExperimentReports, PutsNoPartOfTheProblemsBesideAll) {
  SmallExperiment small;
  fill(small.spec, small.store, 0.4, 0.5);
  ExperimentSpec part = small.spec;
  restrict_to(part, {.methods = {}, .problems = {"levy"}, .runs = 0});
  EXPECT_THROW((void)cell(make_report(part, small.store), "NOMU", "all"), std::runtime_error);
  ResultStore one(small.folder.path() / "one");
  fill(part, one, 0.4, 0.5);
  EXPECT_THROW((void)cell(make_report(small.spec, one), "NOMU", "all"), std::runtime_error);
}

TEST(ExperimentReports, CountsFailedRunsApart) {
  SmallExperiment small;
  fill(small.spec, small.store, 0.4, 0.5);
  ResultRow row = *small.store.find(expand_experiment(small.spec, "fp32", false)[0].runs[0].key);
  row.status = RunStatus::diverged;
  ResultStore other(small.folder.path() / "other");
  other.add(std::vector<ResultRow>{row});
  other.import(*std::filesystem::directory_iterator(small.folder.path() / "rows"));
  const ExperimentReport report = make_report(small.spec, other);
  EXPECT_EQ(cell(report, "NOMU", row.problem).failed, 1U);
  EXPECT_THAT(report_text(report), HasSubstr("+ 1 failed"));
}

TEST(ExperimentReports, IsRenderedInEveryForm) {
  SmallExperiment small;
  fill(small.spec, small.store, 0.4, 0.5);
  const ExperimentReport report = make_report(small.spec, small.store);
  EXPECT_THAT(report_text(report), HasSubstr("Computed on cpu (eigen, avx2) in fp32"));
  EXPECT_THAT(report_markdown(report),
              HasSubstr("| levy | NOMU | 0.40 [0.40, 0.40] | 3 | 0.40 [0.39, 0.42] | inside |"));
  EXPECT_THAT(report_csv(report),
              HasSubstr("AUC,levy,NOMU,0.4,0.4,0.4,3,0,0.4,0.39,0.42,inside,0,1,1,0,undecided,1,1,NOMU,yes\n"));
  EXPECT_THAT(report_svg(report), HasSubstr("<svg"));
  const ExperimentReport empty = make_report(small.spec, ResultStore(small.folder.path() / "none"));
  EXPECT_THAT(report_text(empty), HasSubstr("Nothing is finished"));
  EXPECT_THAT(report_svg(empty), HasSubstr("no data"));
}

TEST(ExperimentReports, TakesTf32RowsWhereThereAreNoOthers) {
  SmallExperiment small;
  ExperimentSpec other = small.spec;
  restrict_to(other, {.methods = {"nomu"}, .problems = {"levy"}, .runs = 1});
  ResultRow row{.key = expand_experiment(other, "tf32", true)[0].runs[0].key,
                .experiment = "small",
                .method = "nomu",
                .problem = "levy",
                .status = RunStatus::ok,
                .values = {{"auc", 0.4}, {"min_nll", -1.0}},
                .provenance = {},
                .seconds = 0.0};
  small.store.add({&row, 1});
  const ExperimentReport report = make_report(small.spec, small.store);
  EXPECT_EQ(cell(report, "NOMU").runs, 1U);
  EXPECT_EQ(report.precisions, std::vector<std::string>{"tf32"});
}

TEST(ExperimentReports, WrongExpectedNumbersNameTheCell) {
  SmallExperiment small;
  const auto file =
      small.folder.write("bad.csv", "problem,method,metric,value,lower,upper,rank\nlevy,NOMU,auc,much,,,\n");
  const std::string message = message_of<DataError>([&] { (void)read_expected(file); });
  EXPECT_THAT(message, HasSubstr("row 2, column 'value'"));
  const auto none = small.folder.write("none.csv", "problem,method,metric,value,lower,upper,rank\nlevy,NOMU,auc,,,,\n");
  EXPECT_THAT(message_of<DataError>([&] { (void)read_expected(none); }), HasSubstr("the number is missing"));
}

TEST(PaperRanks, AnAlgorithmLosesARankToEachThatIsClearlyBetter) {
  EXPECT_THAT(paper_ranks(std::vector<Interval>{{0, 1}, {0.5, 2}, {1.5, 3}, {3, 4}, {5, 6}}),
              ElementsAre(1, 1, 2, 3, 5));
  EXPECT_THAT(paper_ranks(std::vector<Interval>{{2, 3}, {0, 1}}), ElementsAre(2, 1));
  EXPECT_TRUE(paper_ranks({}).empty());
  EXPECT_THAT(message_of([] {
                return paper_ranks(std::vector<Interval>{{0, 1}, {2, 1}});
              }),
              HasSubstr("interval 1 (counted from 0) is [2, 1]; its ends must be finite and in order"));
}

}  // namespace
}  // namespace nomu
