// Studies that begin with the results of an earlier one.

#include <gtest/gtest.h>

#include <cmath>

#include "message_of.hpp"
#include "unit/bo/small_study.hpp"

namespace nomu {
namespace {

using testing::HasSubstr;

/// A valley with ripples; `shift` and `factor` make a similar problem of it.
double valley(const Point& p, double shift, double factor) {
  double sum = 0.0;
  for (const double v : p) sum += (v - 0.3 - shift) * (v - 0.3 - shift) + 0.05 * std::sin(9.0 * (v - shift));
  return factor * sum + 3.0 * shift;
}

void minimise(Study& study, int count, double shift, double factor) {
  for (int i = 0; i < count; ++i) {
    const Trial trial = study.ask();
    study.tell(trial, valley(trial.point, shift, factor));
  }
}

OptimizeSpec seeded(std::int64_t seed) {
  OptimizeSpec spec;
  spec.seed = seed;
  return spec;
}

TEST_F(StudyFiles, AnEarlierStudySavesTrialsAndStillVerifies) {
  const Space space = Space::box(4, -1.0, 1.0);
  int better = 0;
  for (std::int64_t seed = 1; seed <= 3; ++seed) {
    Study before(space, seeded(seed), one_thread());
    minimise(before, 30, 0.0, 1.0);
    std::filesystem::remove(file());
    Study after = Study::create(file(), space, seeded(seed + 10), one_thread(), FileSystems::checked,
                                earlier_results(before, space, Direction::minimize));
    Study alone(space, seeded(seed + 10), one_thread());
    minimise(after, 10, 0.05, 1.2);
    minimise(alone, 10, 0.05, 1.2);
    EXPECT_EQ(after.trial(1).point, before.best()->point);
    better += *after.best()->value < *alone.best()->value ? 1 : 0;
    const VerifyReport report = Study::open(file(), StudyAccess::read, one_thread()).verify();
    EXPECT_TRUE(report.clean()) << report.problems.front();
    EXPECT_EQ(report.exact, 10);
  }
  EXPECT_EQ(better, 3);
}

TEST(Earlier, AMisleadingStudyIsOutvoted) {
  const Space space = Space::box(2, -1.0, 1.0);
  Study before(space, seeded(1), one_thread());
  for (int i = 0; i < 20; ++i) {
    const Trial trial = before.ask();
    before.tell(trial, -valley(trial.point, 0.0, 1.0));  // best where the new one is worst
  }
  Study after(space, seeded(2), one_thread(), earlier_results(before, space, Direction::minimize));
  minimise(after, 25, 0.0, 1.0);
  Study alone(space, seeded(2), one_thread());
  minimise(alone, 25, 0.0, 1.0);
  EXPECT_LT(*after.best()->value, *alone.best()->value + 0.02);
}

TEST(Earlier, SpacesAreMatchedByName) {
  const Space old({{.name = "b", .low = 0.0, .high = 1.0}, {.name = "a", .low = 0.0, .high = 10.0}});
  Study before(old, seeded(1), one_thread());
  before.tell({{.point = {0.5, 2.0}, .value = 1.0}, {.point = {0.5, 8.0}, .value = 2.0}});
  const Space narrower({{.name = "a", .low = 0.0, .high = 5.0}});
  const EarlierResults found = earlier_results(before, narrower, Direction::minimize);
  EXPECT_EQ(found, (EarlierResults{.points = {{2.0}}, .values = {1.0}}));
}

TEST(Earlier, WhatDoesNotFitIsRefused) {
  Study before(Space::box(1, 0.0, 1.0), seeded(1), one_thread());
  before.tell({{.point = {0.5}, .value = 1.0}});
  const auto config = [&](const Space& space, Direction direction) {
    return message_of<ConfigError>([&] { return earlier_results(before, space, direction); });
  };
  EXPECT_THAT(config(Space::box(2, 0.0, 1.0), Direction::minimize), HasSubstr("has no variable 'x2'"));
  EXPECT_THAT(config(Space::box(1, 0.0, 1.0), Direction::maximize), HasSubstr("is minimised, the new one is not"));
  EXPECT_THAT(
      message_of<DataError>([&] { return earlier_results(before, Space::box(1, 2.0, 3.0), Direction::minimize); }),
      HasSubstr("none of the 1 results of the earlier study"));
  OptimizeSpec other;
  other.method = "gp";
  EXPECT_THAT(message_of<ConfigError>([&] {
                return Study(Space::box(1, 0.0, 1.0), other, one_thread(), {.points = {{0.5}}, .values = {1.0}});
              }),
              HasSubstr("only method auto begins with the results of an earlier study"));
}

}  // namespace
}  // namespace nomu
