#include <gtest/gtest.h>

#include <cmath>

#include "message_of.hpp"
#include "nomu/experiment/runner.hpp"
#include "nomu/experiment/study_report.hpp"
#include "unit/experiment/study_folder.hpp"

namespace nomu {
namespace {

constexpr const char* small_bo_study = R"(
kind = "bo"
title = "Small"
problems = ["levy-2d", "levy_published-2d", "bnn-2d"]
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

TEST(BoStudy, RunsAndAveragesAsThePaperDoes) {
  const StudyFolder folder;
  const StudySpec spec = read_study(folder.write("small.toml", small_bo_study), StudyProfile::full);
  const auto engine = make_engine({.device = "cpu", .threads = 1});
  ResultStore store(folder.path() / "results");
  EXPECT_EQ(run_study(spec, store, *engine).runs, 12U);
  const StudyReport report = make_report(spec, store);
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

TEST(BoStudy, WrongProblemsAndProtocolsAreNamed) {
  const StudyFolder folder;
  StudySpec spec = read_study(folder.write("small.toml", small_bo_study), StudyProfile::full);
  spec.problems = {"levy"};
  EXPECT_THAT(message_of<ConfigError>([&] { return expand_study(spec, "fp32", false); }),
              testing::HasSubstr("such as levy-5d, got 'levy'"));
  spec.problems = {"levi-2d"};
  EXPECT_THAT(message_of<ConfigError>([&] { return expand_study(spec, "fp32", false); }), testing::HasSubstr("levy"));
  spec.problems = {"levy-2d"};
  spec.methods[0].protocol = "mw-3";
  const auto engine = make_engine({.device = "cpu", .threads = 1});
  ResultStore store(folder.path() / "results");
  EXPECT_THAT(message_of<ConfigError>([&] { return run_study(spec, store, *engine); }),
              testing::HasSubstr("mw-0.05, mw-0.5, plain or random, got 'mw-3'"));
}

}  // namespace
}  // namespace nomu
