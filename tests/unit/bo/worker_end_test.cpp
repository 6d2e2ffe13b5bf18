// How workers end: what becomes of commands that run, of their results, and of the trials of other workers.

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "nomu/bo/worker.hpp"
#include "nomu/core/error.hpp"
#include "unit/bo/small_study.hpp"

namespace nomu {
namespace {

/// A file that is not there yet.
std::filesystem::path mark_of(const std::string& name) {
  auto mark = std::filesystem::temp_directory_path() / ("nomu_worker_" + name);
  std::filesystem::remove(mark);
  return mark;
}

TEST(WorkerEnd, ACommandMayTidyUpBeforeItIsKilled) {
  const auto mark = mark_of("tidies");
  Study study(line(), random_search(1));
  // The outer shell dies of the signal at once, the inner one takes its time.
  const std::string inner =
      "trap \"sleep 0.3; echo told > " + mark.string() + "; exit\" TERM; while :; do sleep 0.05; done";
  (void)run_worker(study, "sh -c '" + inner + "' >/dev/null 2>&1; echo 1", {.timeout = 0.5});
  EXPECT_EQ(study.trial(1).reason, "no result after 0.5 s");
  EXPECT_TRUE(std::filesystem::exists(mark));
  std::filesystem::remove(mark);
}

/// Whether a process has this word on its command line.
bool runs(const std::string& word) {
  std::error_code gone;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "cmdline");
    const std::string line((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (line.find(word + '\0') != std::string::npos && std::filesystem::exists(entry.path(), gone)) return true;
  }
  return false;
}

TEST(WorkerEnd, ACommandThatLeavesItsGroupOrSessionIsEnded) {
  for (const char* command : {"timeout 40 sleep 33.125", "exec timeout 60 sleep 33.125", "exec setsid sleep 33.125",
                              "setsid sleep 33.125; echo 1", "sh -c 'timeout 40 sleep 33.125; echo 1'; echo 1"}) {
    Study study(line(), random_search(1));
    const auto begin = std::chrono::steady_clock::now();
    (void)run_worker(study, command, {.timeout = 0.3});
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(4)) << command;
    EXPECT_EQ(study.trial(1).reason, "no result after 0.3 s") << command;
    EXPECT_FALSE(runs("33.125")) << command;
  }
}

TEST(WorkerEnd, WhatIgnoresSigtermIsKilledWhereverItIs) {
  Study study(line(), random_search(1));
  const auto begin = std::chrono::steady_clock::now();
  (void)run_worker(study, "setsid sh -c 'trap \"\" TERM; timeout 40 sleep 33.375; echo 1'; echo 1", {.timeout = 0.3});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(12));
  EXPECT_FALSE(runs("33.375"));
}

TEST(WorkerEnd, AStopKeepsTheResultOfACommandThatHasEnded) {
  const auto mark = mark_of("ended");
  Study study(line(), random_search());
  std::stop_source stop;
  // The first command ends while the result of the second is reported, and the stop comes before it is looked at again.
  const WorkerCallbacks callbacks{.recorded = [&](const EvaluatedTrial& done) {
    if (done.trial.id != 2) return;
    std::ofstream(mark) << "go on";
    std::this_thread::sleep_for(std::chrono::seconds(1));
    stop.request_stop();
  }};
  const std::string waits =
      "if [ {id} = 1 ]; then while [ ! -e " + mark.string() + " ]; do sleep 0.02; done; fi; echo {id}";
  EXPECT_THROW(run_worker(study, waits, {.workers = 2}, callbacks, {.report = {}, .stop = stop.get_token()}),
               Cancelled);
  EXPECT_EQ(study.status().finished, 2);
  EXPECT_EQ(study.trial(1).value, 1.0);
  EXPECT_EQ(study.status().pending, 0);
  std::filesystem::remove(mark);
}

TEST(WorkerEnd, StaysForTrialsOfOthersThatMayDie) {
  OptimizeSpec spec = random_search(2);
  spec.lease = 1.5;
  const auto one = [](const Trial&) { return 1.0; };
  Study study(line(), spec);
  (void)study.ask(1, "run:another-host:1:2:3");  // of a node that has died: nobody renews its lease
  std::int64_t waited = 0;
  const WorkerReport report = run_worker(study, one, {}, {.waiting = [&](std::int64_t trials) { waited += trials; }});
  EXPECT_EQ(report.finished, 2);
  EXPECT_EQ(waited, 1);
  EXPECT_EQ(study.status().pending, 0);
  // Those who do not renew their leases, people for example, are not waited for; nor is anybody on request.
  spec.lease = 3600.0;
  Study by_hand(line(), spec);
  (void)by_hand.ask(1, "somebody");
  EXPECT_EQ(run_worker(by_hand, one).finished, 1);
  Study on_request(line(), spec);
  (void)on_request.ask(1, "run:another-host:1:2:3");
  EXPECT_EQ(run_worker(on_request, one, {.wait = false}).finished, 1);
}

TEST(WorkerEnd, StaysUntilOthersHaveTold) {
  Study study(line(), random_search(2));
  const Trial other = study.ask(1, "run:another-host:1:2:3").front();
  std::jthread tells;
  const WorkerCallbacks callbacks{.waiting = [&](std::int64_t) {
    tells = std::jthread([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      study.set_budget(3);
      study.tell(other, 2.0);
    });
  }};
  // A larger budget is noticed, too.
  EXPECT_EQ(run_worker(
                study, [](const Trial&) { return 1.0; }, {}, callbacks)
                .finished,
            2);
  EXPECT_EQ(study.status().finished, 3);
}

TEST(WorkerEnd, AnotherResultOfATrialThatWasTakenOverIsDroppedAloud) {
  Study study(line(), random_search(1));
  int dropped = 0;
  const WorkerCallbacks callbacks{.dropped = [&](const EvaluatedTrial& own, const Trial& kept) {
    ++dropped;
    EXPECT_EQ(own.value, 7.0);
    EXPECT_EQ(kept.value, 5.0);
  }};
  const auto slow = [&](const Trial& trial) {
    study.tell(trial.id, 5.0);
    return 7.0;
  };
  EXPECT_EQ(run_worker(study, slow, {}, callbacks).finished, 0);
  EXPECT_EQ(dropped, 1);
  Study agreed(line(), random_search(1));
  const auto equal = [&](const Trial& trial) {
    agreed.tell(trial.id, 7.0);
    return 7.0;
  };
  EXPECT_EQ(run_worker(agreed, equal).finished, 1);
}

}  // namespace
}  // namespace nomu
