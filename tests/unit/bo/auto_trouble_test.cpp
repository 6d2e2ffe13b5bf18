// Method auto where results are of any magnitude, where most trials fail, and where nothing is left to gain.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "bo/surrogate/importance.hpp"
#include "bo/surrogate/learned.hpp"
#include "nomu/bo/worker.hpp"
#include "unit/bo/small_study.hpp"

namespace nomu {
namespace {

OptimizeSpec automatic(std::int64_t seed = 0) {
  OptimizeSpec spec;
  spec.seed = seed;
  return spec;
}

/// Trials until `count`; those whose value is no number fail. Returns the longest run of failures.
int evaluate(Study& study, int count, const std::function<double(const Point&)>& f) {
  int longest = 0;
  int row = 0;
  for (int i = 0; i < count; ++i) {
    const Trial trial = study.ask();
    const double value = f(trial.point);
    row = std::isnan(value) ? row + 1 : 0;
    longest = std::max(longest, row);
    if (std::isnan(value))
      study.fail(trial.id, "no result");
    else
      study.tell(trial, value);
  }
  return longest;
}

TEST(AutoTrouble, ResultsMayHaveAnyMagnitude) {
  for (const double scale : {1e300, 1e155, 1e101, 1e-101, 1e-200, 1e-300}) {
    Study study(Space::box(2, -1.0, 1.0), automatic(), one_thread());
    evaluate(study, 22, [&](const Point& x) { return scale * (bowl(x) + 0.1); });
    EXPECT_LT(*study.best()->value / scale, 0.1001) << scale;
    const std::optional<Outlook> outlook = study.outlook();
    ASSERT_TRUE(outlook) << scale;
    EXPECT_TRUE(std::isfinite(outlook->gain)) << scale;
    EXPECT_EQ(study.importances().size(), 2U) << scale;
    EXPECT_TRUE(study.verify().clean()) << scale;
  }
}

TEST(AutoTrouble, ResultsMayBeTheLargestNumbers) {
  for (const bool noisy : {false, true}) {
    OptimizeSpec spec = automatic();
    spec.noisy = noisy;
    Study study(Space::box(2, 0.0, 1.0), spec, one_thread());
    evaluate(study, 20, [](const Point& x) { return x[0] < 0.5 ? 1.7e308 : -1.7e308; });
    const std::optional<Outlook> outlook = study.outlook();
    ASSERT_TRUE(outlook);
    EXPECT_TRUE(std::isfinite(outlook->mean) && std::isfinite(outlook->sigma) && std::isfinite(outlook->gain));
    EXPECT_TRUE(study.fit());
    const std::vector<Importance> shares = study.importances();
    EXPECT_NEAR(shares[0].share + shares[1].share, 1.0, 1e-9);
    EXPECT_EQ(study.ask().origin, "gp");
  }
}

TEST(AutoTrouble, ResultsThatAreLargerByOrdersDoNotHideTheOthers) {
  const auto walled = [](const Point& x) {
    const double sum = x[0] + x[1];
    return bowl(x) + (sum > 1.25 ? 1e7 * std::exp(3.0 * sum) : 0.0);
  };
  for (const std::int64_t seed : {1, 2, 3}) {
    Study study(Space::box(3, 0.0, 1.0), automatic(seed), one_thread());
    evaluate(study, 30, walled);
    EXPECT_LT(*study.best()->value, 0.01) << seed;
  }
}

TEST(AutoTrouble, FailuresBeyondABorderEnd) {
  // The function falls up to the border of the half that fails, and further beyond it.
  for (const std::int64_t seed : {1, 2, 3}) {
    Study study(Space::box(3, 0.0, 1.0), automatic(seed), one_thread());
    const int longest = evaluate(study, 40, [](const Point& x) {
      return x[0] > 0.5 ? std::nan("") : -x[0] + bowl({x[1], x[2]});
    });
    EXPECT_LT(longest, 8) << seed;
    EXPECT_LT(study.status().failed, 24) << seed;
    EXPECT_LT(*study.best()->value, -0.49) << seed;
    EXPECT_TRUE(study.verify().clean()) << seed;
  }
}

TEST(AutoTrouble, FailuresTeachBeforeResultsDiffer) {
  const auto last_successes = [](const std::function<double(const Point&)>& f) {
    Study study(Space::box(2, 0.0, 1.0), automatic(4), one_thread());
    evaluate(study, 10, f);
    const std::int64_t before = study.status().finished;
    evaluate(study, 20, f);
    EXPECT_TRUE(study.verify().clean());
    return study.status().finished - before;
  };
  EXPECT_GE(last_successes([](const Point& x) { return x[0] < 0.15 ? 1.0 : std::nan(""); }), 12);
  EXPECT_GE(last_successes([](const Point& x) { return x[0] < 0.15 ? x[1] : std::nan(""); }), 12);
}

/// Number of trials after which a worker found that going on is hardly worth it; 0: it did not.
std::int64_t settles_after(Study& study, const std::function<double(const Point&)>& f) {
  const auto evaluated = [&](const Trial& trial) { return f(trial.point); };
  const WorkerReport report = run_worker(study, evaluated, {.trials = 60, .failures = 0, .until_settled = true});
  return report.settled ? study.status().trials : 0;
}

TEST(AutoTrouble, PlateausAndEqualResultsSettle) {
  const Space space = Space::box(2, 0.0, 1.0);
  Study steps(space, automatic(4), one_thread());
  EXPECT_GT(settles_after(steps, [](const Point& x) { return std::floor(4.0 * x[0]) + std::floor(3.0 * x[1]); }), 0);
  Study equal(space, automatic(4), one_thread());
  EXPECT_GT(settles_after(equal, [](const Point&) { return 1.0; }), 15);
  EXPECT_FALSE(equal.outlook()->worth_it);
}

TEST(AutoTrouble, SettlesAfterAnEarlierStudy) {
  const Space space = Space::box(2, 0.0, 1.0);
  Study before(space, automatic(4), one_thread());
  evaluate(before, 25, bowl);
  Study study(space, automatic(4), one_thread(), earlier_results(before, space, Direction::minimize));
  const std::int64_t after = settles_after(study, [](const Point& x) { return bowl(x) + 1.0; });
  EXPECT_GT(after, 0);
  EXPECT_LT(after, 30);
}

TEST(AutoTrouble, SettlesWhereAllThatIsLeftFails) {
  OptimizeSpec spec = automatic(4);
  spec.rules = 4;  // they go on trying what lies beyond the border
  Study study(Space::box(2, 0.0, 1.0), spec, one_thread());
  const auto half = [](const Point& x) { return x[0] < 0.5 ? std::nan("") : bowl(x); };
  EXPECT_GT(settles_after(study, half), 10);
  EXPECT_LT(*study.best()->value, 0.045);
  EXPECT_EQ(study.trials().back().state, TrialState::failed);
}

TEST(AutoTrouble, AResultWithoutNoiseIsWhatItIs) {
  Study study(Space::box(2, 0.0, 1.0), automatic(4), one_thread());
  // Jumps that no process explains but by noise.
  evaluate(study, 30, [](const Point& x) { return bowl(x) + std::fmod(std::abs(7919.0 * x[0] + 6101.0 * x[1]), 1.0); });
  const std::optional<Outlook> outlook = study.outlook();
  EXPECT_EQ(outlook->mean, *study.best()->value);
  EXPECT_EQ(outlook->sigma, 0.0);
}

TEST(AutoTrouble, DeviationsOfImportancesCountTheChoiceOfPoints) {
  OptimizeSpec spec = automatic();
  spec.initial = 60;
  Study study(Space::box(2, -1.0, 1.0), spec, one_thread());
  advance(study, 60);  // two thirds of them teach nearly the same, so that the points matter
  const std::vector<Importance> shares = study.importances();
  EXPECT_NEAR(shares[0].share, 0.5, 4.0 * shares[0].deviation);
}

}  // namespace
}  // namespace nomu
