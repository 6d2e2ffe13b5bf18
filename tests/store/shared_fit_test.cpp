// Many who ask for points of a model at the same time, on every engine that keeps studies.

#include <fmt/format.h>

#include <chrono>
#include <set>
#include <thread>
#include <utility>

#include "bo/database/place.hpp"
#include "bo/store/fit_turn.hpp"
#include "bo/store/study_store.hpp"
#include "nomu/bo/worker.hpp"
#include "store/places.hpp"
#include "unit/bo/small_study.hpp"

namespace nomu {

class SharedFit : public EveryEngine {
 protected:
  /// A study of which the next point is the first of a model.
  [[nodiscard]] std::filesystem::path begun(double lease = 3600.0) {
    std::filesystem::path where = place();
    OptimizeSpec spec = quick();
    spec.lease = lease;
    spec.settings = "train.epochs=10; mean_net.hidden=[4]; sigma_net.hidden=[4]; augment.count=8";
    Study study = Study::create(where, Space::box(2, -1.0, 1.0), spec, one_thread());
    advance(study, 5);
    return where;
  }
};

TEST_P(SharedFit, SixtyFourWhoAskAtOnceGetDifferentPointsOfFewModels) {
  const std::filesystem::path where = begun();
  constexpr std::size_t askers = 64;
  std::vector<Study> studies;
  for (std::size_t i = 0; i < askers; ++i)
    studies.push_back(Study::open(where, StudyAccess::write, make_engine({.threads = 1})));
  std::vector<Trial> trials(askers);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < askers; ++i)
      threads.emplace_back([&, i] { trials[i] = studies[i].ask(1, fmt::format("w{}", i)).front(); });
  }
  std::set<Point> points;
  std::set<std::int64_t> numbers;
  for (std::size_t i = 0; i < askers; ++i) {
    points.insert(trials[i].point);
    numbers.insert(trials[i].id);
    EXPECT_EQ(trials[i].worker, fmt::format("w{}", i));
  }
  EXPECT_EQ(points.size(), askers);
  EXPECT_EQ(numbers.size(), askers);
  // Suggestions of one model have the same basis in the log.
  std::set<std::int64_t> models;
  StudyStore(open_place({.place = where}, false)).each_event([&](const StudyEvent& event) {
    if (event.kind == "ask" && event.text == "model") models.insert(event.basis);
  });
  EXPECT_LE(models.size(), 16U);
  const Study study = Study::open(where, StudyAccess::read, one_thread());
  EXPECT_EQ(study.status().trials, 5 + 64);
  EXPECT_EQ(study.status().expired, 0);
  const VerifyReport report = study.verify();
  EXPECT_TRUE(report.clean()) << report.problems.front();
  EXPECT_EQ(report.exact, 5 + 64);
}

TEST_P(SharedFit, LeasesAreRenewedWhileAWorkerWaitsForItsTurn) {
  const std::filesystem::path where = begun(1.5);
  const std::unique_ptr<Database> database = open_place({.place = where}, true);
  database->check_study();
  Study study = Study::open(where, StudyAccess::write, one_thread());
  (void)study.enqueue({{0.25, 0.25}});  // needs no model
  FitTurn dead(*database, "dead");
  ASSERT_TRUE(dead.take(1));
  const Study watcher = Study::open(where, StudyAccess::read);
  std::int64_t expired = 0;
  const auto evaluate = [&](const Trial& trial) {
    // Meanwhile the worker asks for another trial, and waits some seconds for the dead.
    for (int i = 0; i < 60 && trial.origin == "given"; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      expired += watcher.status().expired;
    }
    return 1.0;
  };
  EXPECT_EQ(run_worker(study, evaluate, {.workers = 2, .trials = 2}).finished, 2);
  EXPECT_EQ(expired, 0);
}

TEST_P(SharedFit, AFitterThatDiesCostsSomeSeconds) {
  const std::filesystem::path where = begun();
  const std::unique_ptr<Database> database = open_place({.place = where}, true);
  database->check_study();
  FitTurn dead(*database, "dead");
  ASSERT_TRUE(dead.take(1));
  Study study = Study::open(where, StudyAccess::write, one_thread());
  const auto begin = std::chrono::steady_clock::now();
  const Trial trial = study.ask();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_EQ(trial.origin, "model");
  EXPECT_GT(seconds, 3.0);
  EXPECT_LT(seconds, 20.0);
  // The wish of the dead has ended too: nothing is left for it.
  EXPECT_EQ(study.status().trials, 6);
  EXPECT_TRUE(study.verify().clean());
}

TEST_P(SharedFit, NotesThatNobodyWroteAreNotWaitedFor) {
  const std::filesystem::path where = begun();
  const std::unique_ptr<Database> database = open_place({.place = where}, true);
  database->check_study();
  const auto note = [&](const std::string& key, const std::string& text) {
    database->write([&] {
      database->prepare("INSERT INTO {meta}({key}key, value) VALUES({study}?, ?)").bind(1, key).bind(2, text).run();
    });
  };
  note("fitting", "1e300 x");
  for (int k = 0; k < 3; ++k) note(fmt::format("waiting:w{}", k), "1e300 9223372036854775807");
  note("waiting:nobody", "nan 4");
  Study study = Study::open(where, StudyAccess::write, one_thread());
  std::stop_source stop;
  std::jthread impatience([&](const std::stop_token& done) {
    for (int i = 0; i < 2000 && !done.stop_requested(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    stop.request_stop();
  });
  EXPECT_EQ(study.ask(1, "me", {.report = {}, .stop = stop.get_token()}).size(), 1U);
  EXPECT_EQ(study.status().trials, 6);
  EXPECT_TRUE(study.verify().clean());
}

TEST_P(SharedFit, AWishIsWithinReason) {
  const std::filesystem::path where = begun();
  const std::unique_ptr<Database> database = open_place({.place = where}, true);
  database->check_study();
  const std::string soon = fmt::format("{}", database->now() + 4.0);
  for (const auto& wish : {std::pair("a", "9223372036854775807"), std::pair("b", "9223372036854775807"),
                           std::pair("c", "-9223372036854775808"), std::pair("d", "x"), std::pair("e", "3")}) {
    database->write([&] {
      database->prepare("INSERT INTO {meta}({key}key, value) VALUES({study}?, ?)")
          .bind(1, fmt::format("waiting:{}", wish.first))
          .bind(2, soon + " " + wish.second)
          .run();
    });
  }
  EXPECT_EQ(FitTurn(*database, "me").wanted_by_others(), 256U + 256U + 3U);
}

TEST_P(SharedFit, PointsThatNobodyTakesAreForEverybodyAfterSomeSeconds) {
  const std::filesystem::path where = begun();
  const std::unique_ptr<Database> database = open_place({.place = where}, true);
  database->check_study();
  Study study = Study::open(where, StudyAccess::write, one_thread());
  {
    FitTurn fitting(*database, "fitting");
    FitTurn waiting(*database, "waiting");
    ASSERT_TRUE(fitting.take(1));
    ASSERT_FALSE(waiting.take(2));
    EXPECT_EQ(fitting.wanted_by_others(), 2U);
    std::jthread asking([&] { EXPECT_EQ(study.ask(1, "asks").front().worker, "asks"); });
    for (int i = 0; i < 100 && fitting.wanted_by_others() < 3; ++i) {
      fitting.renew();  // both are still there, however long the third takes to ask
      ASSERT_FALSE(waiting.take(2));
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    EXPECT_EQ(fitting.wanted_by_others(), 3U);
    // The turn ends, but both still wait when the model of the one who asks is ready.
    database->write([&] { database->prepare("DELETE FROM {meta} WHERE {mine} AND key = 'fitting'").run(); });
  }
  EXPECT_EQ(study.status().trials, 5 + 1 + 3);
  EXPECT_EQ(study.status().expired, 3);
  std::this_thread::sleep_for(std::chrono::milliseconds(3100));
  const std::vector<Trial> left = study.ask(3, "later");
  ASSERT_EQ(left.size(), 3U);
  EXPECT_EQ(left[0].id, 7);
  EXPECT_EQ(left[2].id, 9);
  EXPECT_TRUE(study.verify().clean());
}

TEST_P(SharedFit, ABudgetThatIsLoweredDuringAFitIsKept) {
  const std::filesystem::path where = begun();
  Study study = Study::open(where, StudyAccess::write, one_thread());
  Study other = Study::open(where);
  bool lowered = false;
  const Progress lowering{.report =
                              [&](const ProgressEvent&) {
                                if (!std::exchange(lowered, true)) other.set_budget(6);
                              },
                          .stop = {}};
  EXPECT_EQ(study.ask(4, "me", lowering).size(), 1U);
  ASSERT_TRUE(lowered);
  EXPECT_EQ(study.status().trials, 6);
  EXPECT_TRUE(study.finished());
  const VerifyReport report = study.verify();
  EXPECT_TRUE(report.clean()) << report.problems.front();
}

TEST_P(SharedFit, WhatHasChangedSinceAnEvent) {
  const std::filesystem::path where = begun();
  Study study = Study::open(where, StudyAccess::write, one_thread());
  const Study::Changes all = study.changes(0);
  EXPECT_EQ(all.trials.size(), 5U);
  EXPECT_TRUE(study.changes(all.event).trials.empty());
  const std::vector<Trial> asked = study.ask(std::vector<std::string>{"a", "b"});
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_EQ(asked[0].worker, "a");
  EXPECT_EQ(asked[1].worker, "b");
  study.tell(asked[1].id, 0.5);
  const Study::Changes news = study.changes(all.event);
  ASSERT_EQ(news.trials.size(), 2U);
  EXPECT_EQ(news.trials[0].state, TrialState::pending);
  EXPECT_EQ(news.trials[1].value, 0.5);
  EXPECT_EQ(news.event, all.event + 3);
}

TEST_P(SharedFit, EventsThatWereSeenAndLostAreNoticed) {
  const std::filesystem::path where = place();
  Study study = Study::create(where, Space::box(2, -1.0, 1.0), small_random_search());
  ASSERT_EQ(study.ask(2, "before").size(), 2U);
  const Study::Changes seen = study.changes(0);
  EXPECT_FALSE(seen.anew);
  EXPECT_FALSE(study.changes(seen.event, seen.mark).anew);
  // A server that crashes loses what it had shown, but not yet written.
  const std::unique_ptr<Database> database = open_place({.place = where}, true);
  database->check_study();
  database->write([&] {
    database->prepare("DELETE FROM {trials} WHERE {mine} AND id = 2").run();
    database->prepare("DELETE FROM {events} WHERE {mine} AND number = 2").run();
  });
  const Study::Changes shorter = study.changes(seen.event, seen.mark);
  EXPECT_TRUE(shorter.anew);
  EXPECT_EQ(shorter.event, 1);
  EXPECT_EQ(shorter.trials.size(), 1U);
  ASSERT_EQ(study.ask(1, "after").size(), 1U);
  const Study::Changes other = study.changes(seen.event, seen.mark);
  EXPECT_TRUE(other.anew);
  EXPECT_EQ(other.event, seen.event);
  ASSERT_EQ(other.trials.size(), 2U);
  EXPECT_EQ(other.trials[1].worker, "after");
  EXPECT_FALSE(study.changes(other.event, other.mark).anew);
}

INSTANTIATE_TEST_SUITE_P(Engines, SharedFit, every_engine(), engine_name);

}  // namespace nomu
