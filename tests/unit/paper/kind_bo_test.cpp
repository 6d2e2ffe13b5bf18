#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "message_of.hpp"
#include "nomu/core/error.hpp"
#include "paper/results/gzip.hpp"
#include "paper/run/runner.hpp"
#include "paper/tables/tables.hpp"
#include "unit/paper/experiment_folder.hpp"

namespace nomu {
namespace {

constexpr const char* small_bo_experiment = R"(
kind = "bo"
title = "Small"
problems = ["levy-2d", "levy_published-2d", "bnn-2d"]
not_in_total = ["levy-2d"]
rows = 5
test_rows = 4
runs = 2
network = [8]

[[method]]
name = "gp"
title = "GP"
method = "gp"
protocol = "mw-0.5"

[[method]]
name = "rand"
title = "RAND"
method = "gp"
protocol = "random"
)";

TEST(BoExperiment, BeginsFromTheAuthorsPoints) {
  const ExperimentFolder folder;
  std::filesystem::create_directories(folder.path() / "bo_initial");
  const std::string points = "seed\tpoint\tx1\tx2\n1\t1\t0.5\t-0.5\n1\t2\t0.25\t0.75\n2\t1\t0\t0\n2\t2\t1\t1\n";
  write_file_atomically(folder.path() / "bo_initial" / "levy2D.tsv.gz", gzip(points));
  std::string text = small_bo_experiment;
  text.replace(text.find("rows = 5"), 8, "rows = 2\ninitial = \"authors\"");
  ExperimentSpec spec = read_experiment(folder.write("small.toml", text), ExperimentProfile::full);
  const ExperimentKind& kind = find_kind(spec);
  EXPECT_THAT(message_of<ConfigError>([&] { return kind.draw(spec, {.problem = "levy-2d", .seed = 1, .key = {}}); }),
              testing::HasSubstr("bo_initial"));
  spec.data = folder.path();
  EXPECT_EQ(kind.draw(spec, {.problem = "levy_published-2d", .seed = 1, .key = {}}).train.inputs,
            (std::vector<double>{0.5, -0.5, 0.25, 0.75}));
  EXPECT_THAT(message_of<DataError>([&] { return kind.draw(spec, {.problem = "levy-2d", .seed = 3, .key = {}}); }),
              testing::HasSubstr("0 points of seed 3"));
  // The networks' points are not known: their runs are those from drawn points, under the same key.
  ExperimentSpec drawn = spec;
  drawn.initial = "drawn";
  EXPECT_EQ(kind.recipe(spec, "bnn-2d", 1), kind.recipe(drawn, "bnn-2d", 1));
  EXPECT_NE(kind.recipe(spec, "levy-2d", 1), kind.recipe(drawn, "levy-2d", 1));
  drawn.initial = "lhs";
  EXPECT_THAT(message_of<ConfigError>([&] { return kind.recipe(drawn, "levy-2d", 1); }),
              testing::HasSubstr("initial is drawn or authors, got 'lhs'"));
}

TEST(BoExperiment, TheSearchForTheOptimumOfANetworkIsPartOfItsKey) {
  const ExperimentFolder folder;
  ExperimentSpec spec = read_experiment(folder.write("small.toml", small_bo_experiment), ExperimentProfile::full);
  const ExperimentKind& kind = find_kind(spec);
  ExperimentSpec shorter = spec;
  shorter.optimum_evaluations = 5;
  EXPECT_NE(kind.recipe(spec, "bnn-2d", 1), kind.recipe(shorter, "bnn-2d", 1));
  EXPECT_EQ(kind.recipe(spec, "levy-2d", 1), kind.recipe(shorter, "levy-2d", 1)) << "its optimum is known";
  const auto optimum = [&](const ExperimentSpec& one) {
    return kind.draw(one, {.problem = "bnn-2d", .seed = 1, .key = {}}).test.targets[0];
  };
  EXPECT_LT(optimum(shorter), optimum(spec));
}

TEST(BoExperiment, RanksTheBetterWidth) {
  const ExperimentFolder folder;
  (void)folder.write("small.csv", R"(problem,method,metric,value,lower,upper,rank
levy-2d,GP,best,0.1,0.05,0.15,1
all,GP,best,0.1,0.05,0.15,
levy-2d,RAND,best,0.5,0.4,0.6,2
all,RAND,best,0.5,0.4,0.6,
)");
  const ExperimentSpec spec = read_experiment(folder.write("small.toml", R"(
kind = "bo"
title = "Small"
problems = ["levy-2d"]
rows = 5
test_rows = 4
runs = 4
expected = "small.csv"

[[method]]
name = "gp-*"
each = ["0.05", "0.5"]
title = "GP, MW *"
paper = "GP MW *"
method = "gp"
protocol = "mw-*"

[[method]]
name = "rand"
title = "RAND"
paper = "RAND"
method = "gp"
protocol = "random"
)"),
                                              ExperimentProfile::full);
  ResultStore store(folder.path() / "rows");
  for (const Piece& piece : expand_experiment(spec, "fp32", false)) {
    std::vector<ResultRow> rows;
    for (const ExperimentRun& run : piece.runs) {
      const double regret = piece.method.name == "gp-0.05" ? 0.3 : piece.method.name == "gp-0.5" ? 0.1 : 0.5;
      std::vector<std::pair<std::string, double>> values;
      for (const std::string& name : find_kind(spec).values)
        values.emplace_back(name, regret + 0.001 * static_cast<double>(run.seed));
      rows.push_back({.key = run.key,
                      .experiment = spec.name,
                      .method = piece.method.name,
                      .problem = run.problem,
                      .status = RunStatus::ok,
                      .values = values,
                      .provenance = {},
                      .seconds = 0.0});
    }
    store.add(rows);
  }
  std::vector<std::string> lines;
  for (const ReportCell& cell : make_report(spec, store).cells) {
    if (cell.metric != "final regret, better width") continue;
    lines.push_back(fmt::format("{} {} rank {}", cell.problem, cell.method, cell.rank ? *cell.rank : 0));
  }
  EXPECT_THAT(lines, testing::ElementsAre("levy-2d GP, MW 0.5 rank 1", "levy-2d RAND rank 2", "all GP, MW 0.5 rank 0",
                                          "all RAND rank 0"));
}

TEST(BoExperiment, RunsAndAveragesAsThePaperDoes) {
  const ExperimentFolder folder;
  const ExperimentSpec spec = read_experiment(folder.write("small.toml", small_bo_experiment), ExperimentProfile::full);
  const auto engine = make_engine({.device = "cpu", .threads = 1});
  ResultStore store(folder.path() / "results");
  EXPECT_EQ(run_experiment(spec, store, *engine).runs, 12U);
  const ExperimentReport report = make_report(spec, store);
  double all = 0.0;
  double counted = 0.0;
  for (const ReportCell& cell : report.cells) {
    ASSERT_TRUE(cell.ours) << cell.problem;
    EXPECT_GE(cell.ours->value, 0.0);
    if (cell.method != "GP") continue;
    if (cell.problem == "all") all = cell.ours->value;
    if (cell.problem == "levy_published-2d" || cell.problem == "bnn-2d") counted += 0.5 * cell.ours->value;
  }
  EXPECT_NEAR(all, counted, 1e-12);
}

TEST(BoExperiment, TheBestOfAllRunsIsTheOptimum) {
  const ExperimentFolder folder;
  const ExperimentSpec spec = read_experiment(folder.write("small.toml", small_bo_experiment), ExperimentProfile::full);
  const auto row = [](std::uint64_t seed, const std::string& problem, double optimum, double regret) {
    ResultRow one;
    one.problem = problem;
    one.values = {{"regret", regret}, {"optimum", optimum}, {"regret_00", 0.5}};
    one.key.seed = seed;
    return one;
  };
  std::vector<ResultRow> rows = {row(1, "bnn-2d", 2.0, 0.1), row(1, "bnn-2d", 4.0, 0.0), row(2, "bnn-2d", -2.0, 0.25),
                                 row(2, "bnn-2d", -1.0, 0.0)};
  const std::vector<ResultRow*> all = {rows.data(), &rows[1], &rows[2], &rows[3]};
  find_kind(spec).update_rows(all);
  EXPECT_NEAR(rows[0].value("regret"), (4.0 - 1.8) / 4.0, 1e-12);  // it had reached 2 - 0.1 * 2
  EXPECT_NEAR(rows[0].value("regret_00"), (4.0 - 1.0) / 4.0, 1e-12);
  EXPECT_EQ(rows[0].value("optimum"), 4.0);
  EXPECT_EQ(rows[1].value("regret"), 0.0);
  EXPECT_NEAR(rows[2].value("regret"), 1.5, 1e-12);  // from -2.5 to -1
}

TEST(BoExperiment, TheRegretOfEveryStepIsKept) {
  const ExperimentFolder folder;
  const ExperimentSpec spec = read_experiment(folder.write("small.toml", small_bo_experiment), ExperimentProfile::full);
  const auto engine = make_engine({.device = "cpu", .threads = 1});
  ResultStore store(folder.path() / "results");
  (void)run_experiment(spec, store, *engine);
  for (const Piece& piece : expand_experiment(spec, "fp32", false)) {
    for (const ExperimentRun& run : piece.runs) {
      const ResultRow* row = store.find(run.key);
      ASSERT_NE(row, nullptr);
      EXPECT_EQ(row->value("regret"), row->value("regret_64"));
      EXPECT_GE(row->value("regret_00"), row->value("regret_16"));
      EXPECT_GE(row->value("regret_16"), row->value("regret_64"));
    }
  }
}

TEST(BoExperiment, WrongProblemsAndProtocolsAreNamed) {
  const ExperimentFolder folder;
  ExperimentSpec spec = read_experiment(folder.write("small.toml", small_bo_experiment), ExperimentProfile::full);
  spec.problems = {"levy"};
  EXPECT_THAT(message_of<ConfigError>([&] { return expand_experiment(spec, "fp32", false); }),
              testing::HasSubstr("such as levy-5d, got 'levy'"));
  spec.problems = {"levi-2d"};
  EXPECT_THAT(message_of<ConfigError>([&] { return expand_experiment(spec, "fp32", false); }),
              testing::HasSubstr("levy"));
  spec.problems = {"levy-2d"};
  spec.methods[0].protocol = "mw-0.5 lokal=3";
  const auto engine = make_engine({.device = "cpu", .threads = 1});
  ResultStore store(folder.path() / "results");
  EXPECT_THAT(message_of<ConfigError>([&] { return run_experiment(spec, store, *engine); }),
              testing::HasSubstr("then any of written, same_seed, variance, local=8, warm=300; got 'mw-0.5 lokal=3'"));
}

}  // namespace
}  // namespace nomu
