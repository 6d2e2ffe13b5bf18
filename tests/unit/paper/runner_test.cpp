#include "paper/run/runner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "message_of.hpp"
#include "nomu/core/error.hpp"
#include "unit/paper/experiment_folder.hpp"

namespace nomu {
namespace {

ExperimentSpec small_experiment(const ExperimentFolder& folder, ExperimentProfile profile = ExperimentProfile::full) {
  return read_experiment(folder.write("small.toml", small_toy_experiment), profile);
}

TEST(ExpandExperiment, PutsAllProblemsOfASeedTogetherAndMethodsInTurn) {
  const ExperimentFolder folder;
  const std::vector<Piece> pieces = expand_experiment(small_experiment(folder), "fp32", false);
  std::vector<std::string> order;
  for (const Piece& piece : pieces) {
    std::string text = piece.method.name;
    for (const ExperimentRun& run : piece.runs) text += " " + run.problem + std::to_string(run.seed);
    order.push_back(text);
  }
  EXPECT_EQ(order, (std::vector<std::string>{"nomu levy501 step501 levy502 step502", "gp levy501 step501 levy502",
                                             "gp step502 levy503 step503", "nomu levy503 step503"}));
}

TEST(ExpandExperiment, KeysTellRunsApart) {
  const ExperimentFolder folder;
  const ExperimentSpec spec = small_experiment(folder);
  std::set<ResultKey> keys;
  std::set<std::uint64_t> fit_seeds;
  for (const Piece& piece : expand_experiment(spec, "fp32", false)) {
    for (const ExperimentRun& run : piece.runs) {
      keys.insert(run.key);
      fit_seeds.insert(run.fit_seed());
    }
  }
  EXPECT_EQ(keys.size(), 12U);
  EXPECT_EQ(fit_seeds.size(), 6U);
  ExperimentSpec other = spec;
  other.methods[0].settings.emplace_back("train.epochs", std::int64_t{21});
  other.methods[1].protocol = "another";
  other.results_version = 2;
  for (const Piece& piece : expand_experiment(other, "fp32", false)) {
    for (const ExperimentRun& run : piece.runs) EXPECT_EQ(keys.count(run.key), 0U);
  }
}

TEST(RunExperiment, ResumesWhatIsMissingWithTheSameNumbers) {
  const ExperimentFolder folder;
  const ExperimentSpec spec = small_experiment(folder);
  const auto engine = make_engine({.device = "cpu", .threads = 1});
  ResultStore whole(folder.path() / "whole");
  const RunnerReport all = run_experiment(spec, whole, *engine);
  EXPECT_EQ(all.runs, 12U);
  EXPECT_EQ(all.added, 12U);
  EXPECT_TRUE(all.complete());

  ResultStore parts(folder.path() / "parts");
  ExperimentSpec first = spec;
  restrict_to(first, {.methods = {"nomu"}, .problems = {"step"}, .runs = 2});
  EXPECT_EQ(run_experiment(first, parts, *engine).added, 2U);
  const RunnerReport rest = run_experiment(spec, parts, *engine);
  EXPECT_EQ(rest.finished, 2U);
  EXPECT_EQ(rest.added, 10U);
  for (const Piece& piece : expand_experiment(spec, "fp32", false)) {
    for (const ExperimentRun& run : piece.runs) {
      ASSERT_NE(parts.find(run.key), nullptr);
      EXPECT_EQ(parts.find(run.key)->values, whole.find(run.key)->values) << piece.method.name << " " << run.problem;
    }
  }
  EXPECT_EQ(run_experiment(spec, parts, *engine).added, 0U);
}

TEST(RunExperiment, StopsOnRequestWithFinishedCohortsStored) {
  const ExperimentFolder folder;
  const auto engine = make_engine({.device = "cpu", .threads = 1});
  std::stop_source stop;
  ResultStore store(folder.path() / "rows");
  const Progress progress{.report =
                              [&](const ProgressEvent& event) {
                                EXPECT_EQ(event.total, 12);
                                if (event.done >= 6) stop.request_stop();
                              },
                          .stop = stop.get_token()};
  EXPECT_THROW((void)run_experiment(small_experiment(folder), store, *engine, {}, progress), Cancelled);
  EXPECT_GE(ResultStore(folder.path() / "rows").size(), 4U);
  EXPECT_LT(ResultStore(folder.path() / "rows").size(), 12U);
}

TEST(RunExperiment, BeginsNothingThatWouldNotEndInTime) {
  const ExperimentFolder folder;
  const auto engine = make_engine({.device = "cpu", .threads = 1});
  ResultStore store(folder.path() / "rows");
  const RunnerReport report =
      run_experiment(small_experiment(folder), store, *engine, {.limit_seconds = 1e-9, .revision = {}});
  EXPECT_EQ(report.added, 0U);
  EXPECT_FALSE(report.complete());
}

TEST(RunExperiment, RecordsWhereNumbersCameFrom) {
  const ExperimentFolder folder;
  const auto engine = make_engine({.device = "cpu", .threads = 1});
  ResultStore store(folder.path() / "rows");
  ExperimentSpec spec = small_experiment(folder, ExperimentProfile::smoke);
  restrict_to(spec, {.methods = {"gp"}, .problems = {}, .runs = 1});
  (void)run_experiment(spec, store, *engine, {.limit_seconds = 0.0, .revision = "v1"});
  const Piece piece = expand_experiment(spec, "fp32", false).at(0);
  const ResultRow* row = store.find(piece.runs[0].key);
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->provenance.revision, "v1");
  EXPECT_EQ(row->provenance.engine, "cpu");
  EXPECT_EQ(row->status, RunStatus::ok);
}

}  // namespace
}  // namespace nomu
