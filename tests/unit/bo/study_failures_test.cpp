// What failed and what is pending keeps proposals away.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "nomu/bo/study.hpp"
#include "unit/bo/small_study.hpp"

namespace nomu {
namespace {

using Fails = bool (*)(const Point&);
using Value = double (*)(const Point&);

/// A study of 8 points that fill the box and 30 that are proposed; how many of these failed.
struct WithFailures {
  WithFailures(std::size_t dimension, std::int64_t seed, Fails fails, Value value)
      : study(Space::box(dimension, -1.0, 1.0), spec_of(seed), one_thread()) {
    for (int i = 0; i < 38; ++i) {
      const Trial trial = study.ask();
      if (!fails(trial.point)) {
        study.tell(trial, value(trial.point));
        continue;
      }
      if (i >= 8) ++inside;
      study.fail(trial.id, "diverged");
    }
  }
  static OptimizeSpec spec_of(std::int64_t seed) {
    OptimizeSpec spec = quick();
    spec.initial = 8;
    spec.seed = seed;
    return spec;
  }

  Study study;
  int inside = 0;
};

TEST(StudyFailures, FailuresKeepProposalsAway) {
  // Everything left of 0 fails; the bottom would be at 0.3 and the mean keeps falling to the left for long.
  int inside = 0;
  for (const std::int64_t seed : {1, 2, 3}) {
    const WithFailures run(
        2, seed, [](const Point& x) { return x[0] < 0.0; }, bowl);
    inside += run.inside;
    EXPECT_TRUE(run.study.verify().clean());
  }
  EXPECT_LT(inside, 9);  // under 10 % of 90
}

TEST(StudyFailures, FailuresKeepProposalsAwayFromWhatPromisesMost) {
  // The function falls right up to the border of the half that fails, and further beyond it.
  int inside = 0;
  double best = 100.0;
  for (const std::int64_t seed : {1, 2, 3}) {
    const WithFailures run(
        3, seed, [](const Point& x) { return x[0] > 0.1; },
        [](const Point& x) {
          return -x[0] + bowl({x[1], x[2]});
        });
    inside += run.inside;
    best = std::min(best, *run.study.best()->value);
  }
  EXPECT_LT(inside, 9);  // under 10 % of 90
  EXPECT_LT(best, 0.15);
}

TEST(StudyPending, PointsAreNotImprovedOnTwice) {
  for (const AcquisitionKind kind :
       {AcquisitionKind::expected_improvement, AcquisitionKind::log_expected_improvement, AcquisitionKind::mean}) {
    OptimizeSpec spec = quick();
    spec.method = "gp";
    spec.preset = "auto";
    spec.settings = "";
    spec.acquisition = kind;
    Study study(Space::box(2, -1.0, 1.0), spec, one_thread());
    for (const double a : {-0.9, 0.0, 0.9}) {
      for (const double b : {-0.8, 0.0, 0.8}) (void)study.add({a, b}, bowl({a, b}));
    }
    const std::vector<Trial> asked = study.ask(3);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_LT(bowl(asked[i].point), 1.0);  // nor thrown to a corner
      for (std::size_t j = 0; j < i; ++j) {
        const double distance =
            std::hypot(asked[i].point[0] - asked[j].point[0], asked[i].point[1] - asked[j].point[1]);
        EXPECT_GT(distance, 0.02) << static_cast<int>(kind);
      }
    }
  }
}

TEST(StudyFailures, AllFailuresNeverStopIt) {
  Study study(Space::box(1, 0.0, 1.0), quick(), one_thread());
  for (int i = 0; i < 12; ++i) study.fail(study.ask().id, "nothing works");
  EXPECT_EQ(study.status().failed, 12);
}

}  // namespace
}  // namespace nomu
