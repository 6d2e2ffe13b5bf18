#include "nomu/bo/study.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "message_of.hpp"
#include "unit/bo/small_study.hpp"

namespace nomu {
namespace {

using testing::HasSubstr;

std::vector<Point> points_of(const Study& study) {
  std::vector<Point> points;
  for (const Trial& trial : study.trials()) points.push_back(trial.point);
  return points;
}

TEST_F(StudyFiles, AWarmStartFollowsFromTheLogAlone) {
  OptimizeSpec spec = quick();
  spec.warm_epochs = 20;
  spec.warm_every = 4;
  const Space space = Space::box(2, -1.0, 1.0);
  Study whole(space, spec, one_thread());
  advance(whole, 12);
  // The same in parts, each of which knows the file only.
  {
    Study part = Study::create(file(), space, spec, one_thread());
    advance(part, 7);
  }
  for (int i = 0; i < 5; ++i) {
    Study part = Study::open(file(), StudyAccess::write, one_thread());
    advance(part, 1);
  }
  const Study parts = Study::open(file(), StudyAccess::read, one_thread());
  EXPECT_EQ(points_of(parts), points_of(whole));
  const VerifyReport report = parts.verify();
  EXPECT_TRUE(report.clean());
  EXPECT_EQ(report.exact, report.suggestions);
  spec.warm_epochs = 0;
  Study cold(space, spec, one_thread());
  advance(cold, 12);
  EXPECT_NE(points_of(cold), points_of(whole));
}

TEST(Study, AskTellFindsTheBottom) {
  Study study(Space::box(2, -1.0, 1.0), quick(), one_thread());
  advance(study, 20);
  const StudyStatus status = study.status();
  EXPECT_EQ(status.finished, 20);
  EXPECT_EQ(status.pending, 0);
  ASSERT_TRUE(status.best_result);
  EXPECT_LT(*status.best_result->value, 0.05);
  EXPECT_EQ(study.trial(1).origin, "design");
  EXPECT_EQ(study.trial(20).origin, "model");
}

TEST_F(StudyFiles, TheSameSeedGivesTheSameSequenceAlsoAcrossProcesses) {
  Study whole(Space::box(2, -1.0, 1.0), quick(), one_thread());
  advance(whole, 9);
  (void)Study::create(file(), Space::box(2, -1.0, 1.0), quick());
  for (int i = 0; i < 9; ++i) {
    Study again = Study::open(file(), StudyAccess::write, one_thread());
    advance(again, 1);
  }
  EXPECT_EQ(points_of(whole), points_of(Study::open(file(), StudyAccess::read)));
  OptimizeSpec other = quick();
  other.seed = 2;
  Study different(Space::box(2, -1.0, 1.0), other, one_thread());
  advance(different, 9);
  EXPECT_NE(points_of(whole), points_of(different));
}

TEST(Study, BatchesEqualSingleQuestionsAndNeverRepeat) {
  Study one(Space::box(2, -1.0, 1.0), quick(), one_thread());
  Study many(Space::box(2, -1.0, 1.0), quick(), one_thread());
  advance(one, 5);
  advance(many, 5);
  std::vector<Point> singly;
  singly.reserve(4);
  for (int i = 0; i < 4; ++i) singly.push_back(one.ask().point);
  std::vector<Point> together;
  for (const Trial& trial : many.ask(4)) together.push_back(trial.point);
  EXPECT_EQ(singly, together);
  EXPECT_EQ(std::set<Point>(together.begin(), together.end()).size(), 4U);
}

TEST(Study, AFiniteSpaceEndsTheStudy) {
  const Space space({{.name = "n", .kind = Variable::Kind::integer, .low = 0, .high = 3},
                     {.name = "k", .kind = Variable::Kind::categorical, .choices = {"a", "b"}}});
  Study study(space, quick(), one_thread());
  std::set<Point> seen;
  for (int i = 0; i < 8; ++i) {
    const Trial trial = study.ask();
    EXPECT_TRUE(seen.insert(trial.point).second);
    study.tell(trial, bowl(trial.point));
  }
  EXPECT_TRUE(study.finished());
  EXPECT_TRUE(study.ask(3).empty());
  EXPECT_THAT(message_of<Error>([&] { return study.ask(); }), HasSubstr("every point of the space has been tried"));
}

TEST(Study, TheBudgetIsKept) {
  OptimizeSpec spec = quick();
  spec.budget = 3;
  Study study(Space::box(1, 0.0, 1.0), spec, one_thread());
  EXPECT_EQ(study.ask(5).size(), 3U);
  EXPECT_TRUE(study.finished());
  EXPECT_THAT(message_of<Error>([&] { return study.ask(); }), HasSubstr("the budget of 3 trials is spent"));
}

TEST_F(StudyFiles, ABudgetCanBeRaisedLater) {
  OptimizeSpec spec = quick();
  spec.budget = 6;
  Study study = Study::create(file(), Space::box(1, 0.0, 1.0), spec, one_thread());
  advance(study, 6);
  ASSERT_TRUE(study.finished());
  Study::open(file()).set_budget(8);  // by another process
  EXPECT_FALSE(study.finished());
  EXPECT_EQ(study.budget(), 8);
  EXPECT_EQ(study.spec().budget, 6);  // what decides about points stays
  advance(study, 2);
  EXPECT_TRUE(study.finished());
  const VerifyReport report = study.verify();
  EXPECT_TRUE(report.clean()) << report.problems.front();
  EXPECT_EQ(report.exact, 8);
  study.set_budget(0);
  EXPECT_FALSE(study.finished());
  study.set_budget(3);
  EXPECT_TRUE(study.ask(1).empty());
  EXPECT_TRUE(study.verify().clean());
  EXPECT_THAT(message_of([&] { study.set_budget(-1); }), HasSubstr("0 for no limit; got -1"));
  EXPECT_THAT(message_of([&] { Study::open(file(), StudyAccess::read).set_budget(9); }), HasSubstr("read"));
}

TEST(Study, ResultsAreToldOnceUnlessReplaced) {
  Study study(Space::box(1, 0.0, 1.0), quick(), one_thread());
  const Trial trial = study.ask();
  study.tell(trial, 1.0);
  EXPECT_THAT(message_of([&] {
                study.tell(trial, 2.0);
                return 0;
              }),
              HasSubstr("trial 1 has the value 1 already; --replace"));
  study.tell(trial.id, 2.0, true);
  EXPECT_EQ(study.best()->value, 2.0);
  study.fail(trial.id, "sensor was off", true);
  EXPECT_EQ(study.status().failed, 1);
  EXPECT_FALSE(study.best());
  study.tell(trial.id, 3.0, true);
  EXPECT_TRUE(study.verify().clean());
}

TEST(Study, WrongInputIsNamed) {
  Study study(Space::box(1, 0.0, 1.0), quick(), one_thread());
  const auto told = [&](std::int64_t id, double value) {
    return message_of([&] {
      study.tell(id, value);
      return 0;
    });
  };
  EXPECT_THAT(told(7, 1.0), HasSubstr("there is no trial 7; there are 0"));
  (void)study.ask();
  EXPECT_THAT(told(1, NAN), HasSubstr("the value of trial 1 is nan"));
  EXPECT_THAT(told(1, INFINITY), HasSubstr("only finite numbers are results"));
  EXPECT_THAT(message_of([&] { return study.add(Point{2.0}, 1.0); }),
              HasSubstr("'x1' must be a number between 0 and 1"));
  OptimizeSpec spec = quick();
  spec.method = "nomo";
  EXPECT_THAT(message_of<ConfigError>([&] { return Study(Space::box(1, 0.0, 1.0), spec); }), HasSubstr("nomu"));
  spec = quick();
  spec.settings = "train.epochs = 3 ; =1";
  EXPECT_THAT(message_of<ConfigError>([&] { return Study(Space::box(1, 0.0, 1.0), spec); }),
              HasSubstr("[bo/study] '=1' is not of the form name=value"));
  spec.settings = "train.epoch=3";
  EXPECT_THAT(message_of<ConfigError>([&] { return Study(Space::box(1, 0.0, 1.0), spec); }), HasSubstr("train.epochs"));
}

TEST(Study, ExpiredLeasesAreHandedOutAgainAndLateResultsCount) {
  OptimizeSpec spec = quick();
  spec.lease = 1e-3;
  Study study(Space::box(1, 0.0, 1.0), spec, one_thread());
  const Trial first = study.ask();
  while (study.status().expired == 0) {
  }
  const std::vector<Trial> again = study.ask(1, "second worker");
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].id, first.id);
  EXPECT_EQ(again[0].point, first.point);
  EXPECT_EQ(again[0].worker, "second worker");
  study.tell(first, 0.5);  // the first worker was only slow
  EXPECT_EQ(study.status().finished, 1);
  EXPECT_TRUE(study.verify().clean());
}

TEST(Study, DeadWorkersAreReleased) {
  Study study(Space::box(1, 0.0, 1.0), quick(), one_thread());
  (void)study.ask(1, "alive");
  const Trial lost = study.ask(1, "dead").front();
  EXPECT_EQ(study.release([](const std::string& worker) { return worker == "dead"; }), 1);
  EXPECT_EQ(study.ask(1, "other").front().id, lost.id);
  EXPECT_EQ(study.status().trials, 2);
}

TEST(Study, GivenResultsAreUsed) {
  Study study(Space::box(1, -1.0, 1.0), quick(), one_thread());
  for (int i = 0; i < 6; ++i) (void)study.add({-1.0 + 0.4 * i}, bowl({-1.0 + 0.4 * i}));
  EXPECT_EQ(study.ask().origin, "model");
  EXPECT_TRUE(study.verify().clean());
}

TEST_F(StudyFiles, ForeignFilesAreRefused) {
  EXPECT_THAT(message_of([&] { return Study::open(file()); }), HasSubstr("no such file"));
  std::ofstream(file()) << "this is no database, but it is long enough to have been looked at by SQLite: "
                        << std::string(2000, 'x');
  EXPECT_THAT(message_of([&] { return Study::open(file()); }), HasSubstr("is not a study"));
  EXPECT_THAT(message_of([&] { return Study::create(file(), Space::box(1, 0.0, 1.0), quick()); }),
              HasSubstr("exists already"));
}

TEST(Study, MaximizeCountsExceptionsAndNanAsFailures) {
  OptimizeOptions options{.evaluations = 18, .study = quick()};
  const Optimum found = maximize(
      [](const Point& x) {
        if (x[0] < -0.8) throw std::runtime_error("too cold");
        return x[1] < -0.8 ? NAN : -bowl(x);
      },
      Space::box(2, -1.0, 1.0), options);
  EXPECT_EQ(found.trials.size(), 18U);
  EXPECT_GT(found.value, -0.1);
  options.evaluations = 3;
  EXPECT_THAT(
      message_of<Error>([&] { return minimize([](const Point&) { return NAN; }, Space::box(1, 0.0, 1.0), options); }),
      HasSubstr("all of 3 evaluations failed, the last one with the value is nan"));
}

TEST(Study, MinimizeStopsAfterFailuresInARow) {
  int calls = 0;
  const auto fails = [&](const Point&) -> double {
    ++calls;
    throw std::runtime_error("pump stalled");
  };
  const Space space = Space::box(1, 0.0, 1.0);
  OptimizeOptions options{.evaluations = 40, .study = quick()};
  options.study.method = "random";
  EXPECT_THAT(message_of<Error>([&] { return minimize(fails, space, options); }),
              HasSubstr("10 evaluations in a row failed, the last one with pump stalled"));
  EXPECT_EQ(calls, 10);
  calls = 0;
  options.failures = 0;
  EXPECT_THAT(message_of<Error>([&] { return minimize(fails, space, options); }),
              HasSubstr("all of 40 evaluations failed"));
  EXPECT_EQ(calls, 40);
  options.failures = 2;  // with a result between them, failures are what the search is for
  const auto every_other = [&](const Point& x) { return ++calls % 2 == 0 ? NAN : x[0]; };
  EXPECT_EQ(maximize(every_other, space, options).trials.size(), 40U);
  options.failures = -1;
  EXPECT_THAT(message_of<ConfigError>([&] { return minimize(fails, space, options); }),
              HasSubstr("failures must not be negative, got -1"));
  options = {.evaluations = 0};
  EXPECT_THAT(message_of<ConfigError>([&] { return minimize(fails, space, options); }),
              HasSubstr("evaluations must be at least 1, got 0"));
}

}  // namespace
}  // namespace nomu
