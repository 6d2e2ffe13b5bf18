// What every engine that keeps studies must do.

#include <algorithm>
#include <cmath>
#include <set>
#include <thread>

#include "message_of.hpp"
#include "store/places.hpp"
#include "unit/bo/small_study.hpp"

namespace nomu {
namespace {

using testing::HasSubstr;

class Store : public EveryEngine {};

const Space square = Space::box(2, -1.0, 1.0);

std::vector<Point> points_of(const Study& study) {
  std::vector<Point> points;
  for (const Trial& trial : study.trials()) points.push_back(trial.point);
  return points;
}

TEST_P(Store, PointsAreThoseOfAStudyInMemoryAndFollowFromTheLog) {
  Study memory(square, quick(), one_thread());
  advance(memory, 8);
  const std::filesystem::path where = place();
  (void)Study::create(where, square, quick());
  for (int part = 0; part < 4; ++part) {
    Study study = Study::open(where, StudyAccess::write, one_thread());
    advance(study, 2);
  }
  const Study study = Study::open(where, StudyAccess::read, one_thread());
  EXPECT_EQ(points_of(study), points_of(memory));
  const VerifyReport report = study.verify();
  EXPECT_TRUE(report.clean()) << report.problems.front();
  EXPECT_EQ(report.exact, 8);
  EXPECT_EQ(report.events, 16);
  ASSERT_TRUE(study.best());
  EXPECT_EQ(study.best()->value, memory.best()->value);
}

TEST_P(Store, KeepsCostsConditionsAndEarlierResultsAlsoInCopies) {
  const Space space({{.name = "s", .kind = Variable::Kind::categorical, .choices = {"a", "b"}},
                     {.name = "x", .low = 0.0, .high = 1.0, .when = {{"s", {"a"}}}}});
  const EarlierResults earlier{.points = {{0.0, 0.25}, {1.0, 0.5}}, .values = {1.0, 2.0}};
  const std::filesystem::path where = place();
  {
    Study study = Study::create(where, space, {}, one_thread(), FileSystems::checked, earlier);
    EXPECT_EQ(study.ask().point, earlier.points[0]);
    study.tell({{.id = 1, .value = 1.5, .cost = 4.0}});
    study.tell({{.point = {1.0, 0.5}, .value = 3.0, .cost = 0.5}, {.point = {0.0, 0.75}, .value = 2.0}});
    for (int i = 0; i < 4; ++i) {
      const Trial trial = study.ask();
      study.tell({{.id = trial.id, .value = trial.point[1], .cost = 1.0 + trial.point[1]}});
    }
  }
  const std::filesystem::path copied = places().next("file");
  copy_study(where, copied);
  for (const std::filesystem::path& there : {where, copied}) {
    const Study study = Study::open(there, StudyAccess::read, one_thread());
    EXPECT_EQ(study.space(), space);
    EXPECT_EQ(study.trial(1).cost, 4.0);
    EXPECT_EQ(study.trials()[1].cost, 0.5);
    EXPECT_FALSE(study.trial(3).cost);
    const VerifyReport report = study.verify();
    EXPECT_TRUE(report.clean()) << report.problems.front();
    EXPECT_EQ(report.exact, 5);
  }
}

TEST_P(Store, StatesAndMessagesOfResults) {
  Study study = Study::create(place(), square, small_random_search());
  const std::vector<Trial> asked = study.ask(3, "w1");
  ASSERT_EQ(asked.size(), 3U);
  EXPECT_GT(asked[0].asked, 1.6e9);
  EXPECT_NEAR(asked[0].lease_until - asked[0].asked, study.spec().lease, 1e-3);
  study.tell(1, 0.25);
  EXPECT_THAT(message_of([&] { study.tell(1, 0.5); }), HasSubstr("trial 1 has the value 0.25 already; --replace"));
  EXPECT_THAT(message_of([&] { study.tell(9, 0.5); }), HasSubstr("there is no trial 9; there are 3"));
  EXPECT_THAT(message_of([&] { study.tell(-4, 0.5); }), HasSubstr("there is no trial -4"));
  EXPECT_THAT(message_of([&] { study.tell(2, NAN); }), HasSubstr("the value of trial 2 is nan"));
  study.fail(2, std::string("bad \xff byte, zero \0 byte", 23));
  study.tell(1, -0.0, true);
  const Trial added = study.add({0.5, 0.5}, 7.0);
  EXPECT_EQ(added.id, 4);
  EXPECT_EQ(added.origin, "given");
  const StudyStatus status = study.status();
  EXPECT_EQ(status.trials, 4);
  EXPECT_EQ(status.finished, 2);
  EXPECT_EQ(status.failed, 1);
  EXPECT_EQ(status.pending, 1);
  EXPECT_EQ(status.best_result->id, 1);
  EXPECT_EQ(study.trial(3).worker, "w1");
  study.fail(1, "sensor was off", true);
  EXPECT_EQ(study.best()->id, 4);
  EXPECT_THAT(message_of([&] { (void)study.trial(77); }), HasSubstr("there is no trial 77"));
  const VerifyReport report = study.verify();
  EXPECT_TRUE(report.clean()) << report.problems.front();
}

TEST_P(Store, ReasonsAreShortened) {
  Study study = Study::create(place(), square, small_random_search());
  (void)study.ask(2);
  std::string shout;
  for (int k = 0; k < 100000; ++k) shout += "\xC3\xA4";  // ä, two bytes
  study.fail(1, "x" + shout);
  const std::string kept = study.trial(1).reason;
  EXPECT_LE(kept.size(), 4096U);
  EXPECT_GT(kept.size(), 4000U);
  EXPECT_TRUE(kept.starts_with("x\xC3\xA4") && kept.ends_with("\xC3\xA4 ..."));
  study.fail(2, std::string(4096, 'a'));
  EXPECT_EQ(study.trial(2).reason, std::string(4096, 'a'));
  study.tell({{.id = 1, .reason = "x" + shout}}, Repeated::accept_equal);  // the same failure again is equal
  const VerifyReport report = study.verify();
  EXPECT_TRUE(report.clean()) << report.problems.front();
}

TEST_P(Store, ManyResultsAreOneTransaction) {
  const std::filesystem::path where = place();
  Study study = Study::create(where, square, small_random_search());
  std::vector<TrialResult> results;
  for (const Trial& trial : study.ask(500)) results.push_back({.id = trial.id, .value = bowl(trial.point)});
  results[400].id = 9999;
  results[400].label = "line 401";
  EXPECT_THAT(message_of([&] { (void)study.tell(results); }), HasSubstr("line 401: there is no trial 9999"));
  EXPECT_EQ(Study::open(where).status().finished, 0);
  results[400].id = 401;
  EXPECT_EQ(study.tell(results).size(), 500U);
  EXPECT_EQ(study.tell(results, Repeated::accept_equal).size(), 500U);
  EXPECT_EQ(study.status().finished, 500);
  const VerifyReport report = study.verify();
  EXPECT_TRUE(report.clean()) << report.problems.front();
  EXPECT_EQ(report.events, 1000);
}

TEST_P(Store, LeasesEndByTheClockOfTheStore) {
  OptimizeSpec spec = small_random_search();
  spec.lease = 0.3;
  const std::filesystem::path where = place();
  Study slow = Study::create(where, square, spec);
  Study other = Study::open(where);
  const Trial first = slow.ask(1, "slow").front();
  EXPECT_NE(other.ask(1, "other").front().id, first.id);
  slow.renew(first.id);
  while (other.status().expired < 2) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const std::vector<Trial> again = other.ask(2, "other");
  ASSERT_EQ(again.size(), 2U);
  EXPECT_EQ(again[0].id, first.id);
  EXPECT_EQ(again[0].point, first.point);
  slow.tell(first, 0.5);  // late, but first
  EXPECT_THAT(message_of([&] { other.tell(first, 0.6); }), HasSubstr("has the value 0.5 already"));
  EXPECT_EQ(other.release([](const std::string& worker) { return worker == "other"; }), 1);
  EXPECT_TRUE(other.verify().clean());
}

TEST_P(Store, OnlyWhoHasATrialCanRenewIt) {
  Study study = Study::create(place(), square, small_random_search());
  ASSERT_EQ(study.ask(2, "me").size(), 2U);
  ASSERT_EQ(study.enqueue({{0.5, 0.5}}).front(), 3);
  study.tell(2, 1.0);
  // The second has a result, the third is queued, the last does not exist.
  EXPECT_THAT(study.renew({77, 3, 2, 1, 1}), testing::ElementsAre(1));
  EXPECT_TRUE(is_waiting(study.trial(3)));
  EXPECT_TRUE(study.renew(1, "me"));
  EXPECT_FALSE(study.renew(1, "somebody else"));
  EXPECT_EQ(study.release([](const std::string& worker) { return worker == "me"; }), 1);
  EXPECT_FALSE(study.renew(1, "me"));  // a heartbeat that comes after the worker gave up
  EXPECT_EQ(study.ask(1, "next").front().id, 1);
  EXPECT_EQ(study.ask(1, "next").front().id, 3);
  EXPECT_FALSE(study.renew(1, "me"));
  EXPECT_TRUE(study.verify().clean());
}

TEST_P(Store, TheBudgetIsSharedAndMayChange) {
  OptimizeSpec spec = small_random_search();
  spec.budget = 4;
  const std::filesystem::path where = place();
  Study study = Study::create(where, square, spec);
  EXPECT_EQ(study.ask(9).size(), 4U);
  EXPECT_TRUE(study.finished());
  Study::open(where).set_budget(6);
  EXPECT_EQ(study.budget(), 6);
  EXPECT_EQ(study.ask(9).size(), 2U);
  EXPECT_THAT(message_of([&] { Study::open(where, StudyAccess::read).set_budget(9); }), HasSubstr("read"));
  EXPECT_TRUE(study.verify().clean());
}

TEST_P(Store, OneOfManyCreatesAStudy) {
  const std::filesystem::path where = place();
  std::atomic<int> made = 0;
  std::vector<std::thread> threads;
  threads.reserve(6);
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&] {
      try {
        (void)Study::create(where, square, small_random_search());
        ++made;
      } catch (const DataError& error) {
        EXPECT_THAT(error.what(), HasSubstr("exists already"));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made, 1);
  EXPECT_EQ(Study::open(where).status().trials, 0);
}

/// Every thread has a connection of its own, as processes do.
void work_beside_others(const std::filesystem::path& where, int threads, int trials) {
  std::vector<std::thread> all;
  all.reserve(static_cast<std::size_t>(threads));
  for (int i = 0; i < threads; ++i) {
    all.emplace_back([&, i] {
      Study study = Study::open(where, StudyAccess::write);
      for (int k = 0; k < trials; ++k) {
        const Trial trial = study.ask(1, "w" + std::to_string(i)).front();
        if (trial.id % 7 == 0) {
          study.fail(trial.id, "every seventh");
        } else {
          study.tell(trial, bowl(trial.point));
        }
      }
    });
  }
  for (std::thread& thread : all) thread.join();
}

void expect_whole(const std::filesystem::path& where, std::int64_t trials) {
  const Study study = Study::open(where, StudyAccess::read);
  const StudyStatus status = study.status();
  EXPECT_EQ(status.trials, trials);
  EXPECT_EQ(status.pending, 0);
  EXPECT_EQ(status.failed, trials / 7);
  std::vector<Point> points = points_of(study);
  std::sort(points.begin(), points.end());
  EXPECT_EQ(std::unique(points.begin(), points.end()), points.end());
  const VerifyReport report = study.verify();
  EXPECT_TRUE(report.clean()) << report.problems.front();
  EXPECT_EQ(report.exact, trials);
}

TEST_P(Store, ManyAskAtOnceAndGetDifferentPoints) {
  const std::filesystem::path where = place();
  (void)Study::create(where, square, small_random_search());
  work_beside_others(where, 8, 20);
  expect_whole(where, 160);
}

TEST_P(Store, ManyAskAModelAtOnceAndGetDifferentPoints) {
  const std::filesystem::path where = place();
  OptimizeSpec spec = quick();
  spec.settings = "train.epochs=10; mean_net.hidden=[4]; sigma_net.hidden=[4]; augment.count=8";
  (void)Study::create(where, square, spec);
  work_beside_others(where, 3, 5);
  expect_whole(where, 15);
}

TEST_P(Store, ACopyThereAndBackIsTheSameToTheLastBit) {
  const std::filesystem::path where = place();
  Study study = Study::create(where, square, quick(), one_thread());
  advance(study, 7);
  (void)study.ask(2, "somebody");
  study.fail(8, "melted");
  study.tell(3, 1.0 / 3.0, true);
  (void)study.add({0.1, 1e-300}, -1e300);
  study.set_budget(40);
  const std::vector<std::string> before = rows_of(where);
  for (const char* engine : {"sqlite", "postgresql"}) {
    if (std::string(engine) == "postgresql" && server().empty()) continue;
    const std::filesystem::path there = places().next(engine);
    const std::filesystem::path back = place();
    copy_study(where, there);
    copy_study(there, back);
    EXPECT_EQ(rows_of(there), before);
    EXPECT_EQ(rows_of(back), before);
    EXPECT_THAT(message_of([&] { copy_study(where, there); }), HasSubstr("exists already"));
    Study copy = Study::open(there, StudyAccess::write, one_thread());
    const VerifyReport report = copy.verify();
    EXPECT_TRUE(report.clean()) << report.problems.front();
    EXPECT_EQ(report.exact, 9);
    EXPECT_EQ(copy.ask().point, Study::open(back, StudyAccess::write, one_thread()).ask().point);
  }
}

TEST_P(Store, AFailedCopyLeavesNothing) {
  const std::filesystem::path there = place();
  EXPECT_THAT(message_of([&] { copy_study(place(), there); }),
              testing::AnyOf(HasSubstr("no such"), HasSubstr("there is no study")));
  (void)Study::create(there, square, small_random_search());
  EXPECT_EQ(Study::open(there).status().trials, 0);
}

TEST_P(Store, LargePointsAndStrangeNamesAreKept) {
  std::vector<Variable> variables;
  variables.reserve(901);
  for (int i = 0; i < 900; ++i) variables.push_back({.name = "v" + std::to_string(i), .low = 0.0, .high = 1.0});
  variables.push_back(
      {.name = "a'; DROP TABLE trials; --", .kind = Variable::Kind::categorical, .choices = {"?", "$1"}});
  std::filesystem::path where = place();
  where += " '\"; DROP TABLE nomu_trials; %2D %3F";
  Study study = Study::create(where, Space(variables), small_random_search());
  const Trial trial = study.ask(1, "worker'); DELETE FROM trials; --").front();
  study.tell(trial, 1.0);
  EXPECT_EQ(Study::open(where).trial(1).point, trial.point);
  EXPECT_EQ(Study::open(where).trial(1).worker, "worker'); DELETE FROM trials; --");
  EXPECT_TRUE(study.verify().clean());
}

TEST_P(Store, WhatANewerVersionWroteIsNotMistakenForDamage) {
  const std::filesystem::path where = place();
  (void)Study::create(where, square, small_random_search()).ask();
  const std::unique_ptr<Database> database = open_place({.place = where}, true);
  database->check_study();
  database->write([&] {
    database->prepare("UPDATE {events} SET body = ? WHERE {mine} AND number = 1")
        .bind(1, std::string(R"({"v":3,"values":[1,2]})"))
        .run();
  });
  const VerifyReport report = Study::open(where).verify();
  ASSERT_FALSE(report.clean());
  EXPECT_THAT(report.problems.front(), HasSubstr("event 1: it was written by a newer nomu"));
}

INSTANTIATE_TEST_SUITE_P(Engines, Store, every_engine(), engine_name);

}  // namespace
}  // namespace nomu
