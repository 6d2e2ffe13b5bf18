#include "nomu/bo/worker.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "bo/worker/worker_name.hpp"
#include "message_of.hpp"
#include "unit/bo/small_study.hpp"

namespace nomu {
namespace {

using testing::HasSubstr;

double distance(const Trial& trial) { return std::abs(trial.point[0]); }

TEST(Worker, RunsAFunctionToTheEndOfTheBudget) {
  Study study(line(), random_search(20));
  std::mutex mutex;
  std::set<std::thread::id> threads;
  std::vector<std::int64_t> recorded;
  const WorkerReport report =
      run_worker(study,
                 [&](const Trial& trial) {
                   const std::lock_guard lock(mutex);
                   threads.insert(std::this_thread::get_id());
                   return distance(trial);
                 },
                 {.workers = 3}, {.recorded = [&](const EvaluatedTrial& done) { recorded.push_back(done.trial.id); }});
  EXPECT_EQ(report.finished, 20);
  EXPECT_EQ(report.failed, 0);
  EXPECT_EQ(recorded.size(), 20U);
  EXPECT_FALSE(threads.contains(std::this_thread::get_id()));
  for (const Trial& trial : study.trials()) EXPECT_EQ(trial.value, distance(trial));
}

TEST(Worker, StartsNothingThatMightNotEndInTime) {
  Study study(line(), random_search(1000));
  const WorkerReport report = run_worker(study,
                                         [](const Trial& trial) {
                                           std::this_thread::sleep_for(std::chrono::milliseconds(200));
                                           return distance(trial);
                                         },
                                         {.workers = 2, .start_within = 0.3});
  EXPECT_GE(report.finished, 2);
  EXPECT_LE(report.finished, 6);
  EXPECT_EQ(study.status().finished, report.finished);
  EXPECT_EQ(study.status().pending, 0);  // what had begun was finished
  EXPECT_FALSE(study.finished());
}

TEST(Worker, FunctionsRunAtTheSameTimeAndMayUseTheStudy) {
  Study study(line(), random_search(4));
  std::atomic<int> running = 0;
  const WorkerReport report = run_worker(study,
                                         [&](const Trial& trial) {
                                           ++running;
                                           for (int i = 0; i < 5000 && running < 4; ++i)
                                             std::this_thread::sleep_for(std::chrono::milliseconds(1));
                                           EXPECT_EQ(study.trial(trial.id).state, TrialState::pending);
                                           return running == 4 ? 1.0 : 0.0;
                                         },
                                         {.workers = 4});
  EXPECT_EQ(report.finished, 4);
  EXPECT_EQ(study.best()->value, 1.0);
}

TEST(Worker, ExceptionsAndNanAreFailures) {
  Study study(line(), random_search(6));
  const WorkerReport report = run_worker(study, [](const Trial& trial) -> double {
    if (trial.id == 2) throw std::runtime_error("pump stalled");
    return trial.id == 4 ? NAN : 1.0;
  });
  EXPECT_EQ(report.finished, 4);
  EXPECT_EQ(report.failed, 2);
  EXPECT_EQ(study.trial(2).reason, "pump stalled");
  EXPECT_EQ(study.trial(4).reason, "the value is nan");
}

TEST(Worker, StopsAfterFailuresInARow) {
  Study study(line(), random_search());
  const auto fails = [](const Trial&) -> double { throw std::runtime_error("no power"); };
  EXPECT_THAT(message_of<Error>([&] { return run_worker(study, fails, {.failures = 3}); }),
              HasSubstr("3 trials in a row failed, the last one: no power"));
  EXPECT_EQ(study.status().failed, 3);
}

TEST(Worker, AStopWaitsForFunctionsAndKeepsTheirResults) {
  Study study(line(), random_search());
  std::stop_source stop;
  const auto slow = [&](const Trial&) {
    stop.request_stop();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return 2.0;
  };
  EXPECT_THROW(run_worker(study, slow, {}, {}, {.report = {}, .stop = stop.get_token()}), Cancelled);
  EXPECT_EQ(study.status().finished, 1);
  EXPECT_EQ(study.status().pending, 0);
}

TEST(Worker, AFunctionCanStopTheWorker) {
  Study study(line(), random_search());
  const auto stops = [](const Trial& trial) -> double {
    if (trial.id == 3) throw Cancelled("test", "enough");
    return 1.0;
  };
  EXPECT_THROW(run_worker(study, stops), Cancelled);
  EXPECT_EQ(study.status().finished, 2);
  EXPECT_EQ(study.status().expired, 1);  // handed out again
}

TEST(Worker, LeasesAreRenewedWhileAFunctionRuns) {
  OptimizeSpec spec = random_search(1);
  spec.lease = 0.2;
  Study study(line(), spec);
  const WorkerReport report = run_worker(study, [&](const Trial&) {
    int expired = 0;
    for (int i = 0; i < 10; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      expired += static_cast<int>(study.status().expired);
    }
    return static_cast<double>(expired);
  });
  EXPECT_EQ(report.finished, 1);
  EXPECT_EQ(study.best()->value, 0.0);
}

TEST(Worker, ErrorsOfACallbackGiveTheTrialsBack) {
  Study study(line(), random_search());
  const WorkerCallbacks callbacks{.recorded = [](const EvaluatedTrial&) { throw std::runtime_error("closed"); }};
  EXPECT_THROW(
      run_worker(study, std::string("if [ {id} = 1 ]; then echo 1; else sleep 60; fi"), {.workers = 2}, callbacks),
      std::runtime_error);
  EXPECT_EQ(study.status().finished, 1);
  EXPECT_EQ(study.status().pending, study.status().expired);
}

TEST(Worker, RunsACommand) {
  Study study(line(), random_search(5));
  const WorkerReport report = run_worker(study, "cat >/dev/null; echo trial {id}; echo {x}", {.workers = 2});
  EXPECT_EQ(report.finished, 5);
  for (const Trial& trial : study.trials()) EXPECT_NEAR(*trial.value, trial.point[0], 1e-12);
}

TEST(Worker, CommandsGetTheTrialAsJson) {
  Study study(line(), random_search(1));
  (void)run_worker(study, R"(read -r line; case "$line" in '{"id":1,"point":{"x":'*) echo 1;; *) echo 0;; esac)");
  EXPECT_EQ(study.best()->value, 1.0);
}

TEST(Worker, ACommandThatIsTooSlowIsKilled) {
  Study study(line(), random_search(1));
  const WorkerReport report = run_worker(study, "sleep 60; echo 1", {.timeout = 0.2});
  EXPECT_EQ(report.failed, 1);
  EXPECT_EQ(study.trial(1).reason, "no result after 0.2 s");
}

/// It writes faster than it is read.
TEST(Worker, ACommandThatWritesForEverIsKilled) {
  Study study(line(), random_search(2));
  const WorkerReport report = run_worker(study, "if [ {id} = 1 ]; then yes; else yes >&2; fi", {.timeout = 0.5});
  EXPECT_EQ(report.failed, 2);
  for (const Trial& trial : study.trials()) EXPECT_TRUE(trial.reason.starts_with("no result after 0.5 s"));
}

TEST(Worker, WhatACommandLeavesInTheBackgroundSurvivesIt) {
  const auto mark = std::filesystem::temp_directory_path() / "nomu_worker_background";
  std::filesystem::remove(mark);
  Study study(line(), random_search(1));
  (void)run_worker(study, "(sleep 0.3; echo 1 > " + mark.string() + ") >/dev/null 2>&1 & echo 1");
  EXPECT_FALSE(std::filesystem::exists(mark));
  for (int i = 0; i < 100 && !std::filesystem::exists(mark); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_TRUE(std::filesystem::exists(mark));
  std::filesystem::remove(mark);
}

TEST(Worker, WrongInputIsRefusedBeforeATrialIsSpent) {
  Study study(line(), random_search());
  const auto f = [](const Trial&) { return 1.0; };
  EXPECT_THAT(message_of<ConfigError>([&] { return run_worker(study, f, {.workers = 0}); }), HasSubstr("workers"));
  EXPECT_THAT(message_of<ConfigError>([&] { return run_worker(study, f, {.patience = -1.0}); }), HasSubstr("patience"));
  EXPECT_THAT(message_of<ConfigError>([&] { return run_worker(study, f, {.timeout = 1.0}); }),
              HasSubstr("only a command can be stopped"));
  EXPECT_THAT(message_of<ConfigError>([&] { return run_worker(study, std::function<double(const Trial&)>()); }),
              HasSubstr("the function is empty"));
  EXPECT_THAT(message_of([&] { return run_worker(study, "echo {y}"); }), HasSubstr("there is no variable 'y'"));
  EXPECT_EQ(study.status().trials, 0);
  EXPECT_THAT(message_of([&] { return run_worker(study, "./no_such_program"); }), HasSubstr("cannot be run"));
  EXPECT_EQ(study.status().failed, 0);
}

/// The name of a worker comes with the study, which may be a stranger's.
TEST(Worker, NamesOfWorkersAreNoPaths) {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("nomu_no_process_{}", ::getpid());
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "stat") << "1 (x) S 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 77 23\n";
  const std::string host = worker_host(worker_name());
  EXPECT_TRUE(is_gone(fmt::format("run:{}:../..{}:77", host, folder.string())));
  EXPECT_TRUE(is_gone(fmt::format("run:{}:self:77", host)));
  std::filesystem::remove_all(folder);
}

TEST(Worker, TrialsOfDeadProcessesAreTakenOver) {
  Study study(line(), random_search(2));
  const std::string name = worker_name();
  EXPECT_FALSE(is_gone(name));
  EXPECT_FALSE(is_gone("somebody"));
  EXPECT_FALSE(is_gone("run:another-host:1:2"));
  EXPECT_EQ(worker_host("run:another-host:1:2:3"), "another-host");
  EXPECT_EQ(worker_host("somebody"), "");
  EXPECT_EQ(worker_host("runner:here"), "");
  const std::string host = worker_host(name);
  const std::string dead = "run:" + host + ":999999999:1";
  EXPECT_TRUE(is_gone(dead));
  // A process of another boot, another machine or another container that has the same host name may well live.
  const std::string where = name.substr(name.rfind(':') + 1);
  ASSERT_FALSE(where.empty());
  EXPECT_TRUE(is_gone(dead + ":1:" + where));
  EXPECT_FALSE(is_gone(dead + ":1:" + where + "0"));
  EXPECT_FALSE(is_gone(dead + ":1:00000000" + where.substr(where.find('.'))));
  (void)study.ask(1, dead);
  EXPECT_EQ(run_worker(study, [](const Trial&) { return 1.0; }).finished, 2);
}

TEST_F(StudyFiles, AResultThatCannotBeWrittenIsKeptAndListed) {
  Study study = Study::create(file(), line(), random_search());
  int reported = 0;
  const WorkerCallbacks callbacks{.not_recorded = [&](const EvaluatedTrial& lost, const std::string& error) {
    ++reported;
    EXPECT_EQ(lost.value, 7.0);
    EXPECT_THAT(error, HasSubstr("was moved or removed"));
  }};
  const auto moves = [&](const Trial&) {
    std::filesystem::rename(file(), file().string() + ".away");
    return 7.0;
  };
  EXPECT_THAT(message_of<Error>([&] { return run_worker(study, moves, {.patience = 0.0}, callbacks); }),
              HasSubstr("not recorded, tell it yourself: trial 1, 7"));
  EXPECT_EQ(reported, 1);
}

}  // namespace
}  // namespace nomu
