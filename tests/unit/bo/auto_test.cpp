// Method auto: it converges, follows from its log, spreads batches, and says what it has learned.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bo/surrogate/knowledge_gain.hpp"
#include "bo/surrogate/learned.hpp"
#include "bo/surrogate/promise.hpp"
#include "message_of.hpp"
#include "nomu/bo/trial_io.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/random.hpp"
#include "unit/bo/small_study.hpp"

namespace nomu {
namespace {

OptimizeSpec automatic() {
  OptimizeSpec spec;
  spec.settings = quick().settings;
  spec.direct.evaluations = 150;
  spec.local_starts = 2;
  return spec;
}

double wavy(const Point& x) { return bowl(x) + 0.1 * std::sin(7.0 * x[0]); }

void evaluate(Study& study, int count) {
  for (int i = 0; i < count; ++i) {
    const Trial trial = study.ask();
    study.tell(trial, wavy(trial.point));
  }
}

TEST(Auto, IsTheDefaultAndConverges) {
  EXPECT_EQ(OptimizeSpec().method, "auto");
  const Optimum found =
      minimize(bowl, Space::box(2, -1.0, 1.0), {.evaluations = 25, .study = automatic(), .engine = one_thread()});
  EXPECT_LT(found.value, 1e-5);
  EXPECT_EQ(found.trials.back().origin, "gp");
}

TEST(Auto, FollowsFromItsLogWithBatchesAndFailures) {
  Study study(Space::box(2, -1.0, 1.0), automatic(), one_thread());
  evaluate(study, 12);
  for (const Trial& trial : study.ask(5)) {
    if (trial.id % 2 == 0) {
      study.fail(trial.id, "no result");
    } else {
      study.tell(trial, wavy(trial.point));
    }
  }
  (void)study.ask(3);
  evaluate(study, 6);
  const VerifyReport report = study.verify();
  EXPECT_TRUE(report.clean()) << report.problems.front();
  EXPECT_EQ(report.exact, 26);
}

TEST(Auto, NoTwoPointsOfALargeBatchAreClose) {
  Study study(Space::box(3, 0.0, 1.0), automatic(), one_thread());
  evaluate(study, 10);
  const std::vector<Trial> batch = study.ask(120);
  ASSERT_EQ(batch.size(), 120U);
  double least = 1.0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      double square = 0.0;
      for (std::size_t j = 0; j < 3; ++j) square += std::pow(batch[i].point[j] - batch[k].point[j], 2);
      least = std::min(least, std::sqrt(square));
    }
  }
  EXPECT_GE(least, 0.01 * std::sqrt(3.0));
}

TEST(Auto, PointsMoveCloserWhereThereIsNoRoom) {
  Study study(Space::box(1, 0.0, 1.0), automatic(), one_thread());
  evaluate(study, 10);
  std::vector<double> places;
  for (const Trial& trial : study.ask(200)) {
    EXPECT_EQ(trial.origin, "gp") << trial.id;
    places.push_back(trial.point[0]);
  }
  ASSERT_EQ(places.size(), 200U);
  std::ranges::sort(places);
  double least = 1.0;
  for (std::size_t i = 1; i < places.size(); ++i) least = std::min(least, places[i] - places[i - 1]);
  EXPECT_GE(least, 0.01 / 8.0 - 1e-12);
}

TEST(Auto, FindsTheBestOfAMixedSpaceAndAllOfASmallOne) {
  const Space space({{.name = "x", .low = -1.0, .high = 1.0},
                     {.name = "n", .kind = Variable::Kind::integer, .low = 0.0, .high = 9.0},
                     {.name = "s", .kind = Variable::Kind::categorical, .choices = {"a", "b", "c"}}});
  const auto f = [](const Point& p) {
    return std::pow(p[0] - 0.2, 2) + 0.1 * std::abs(p[1] - 6.0) + (p[2] == 1.0 ? 0.0 : 1.0);
  };
  const Optimum found = minimize(f, space, {.evaluations = 30, .study = automatic(), .engine = one_thread()});
  EXPECT_LT(found.value, 0.01);
  const Space small({{.name = "n", .kind = Variable::Kind::integer, .low = 1.0, .high = 12.0}});
  const Optimum all = minimize([](const Point& p) { return std::sin(p[0]); }, small,
                               {.evaluations = 50, .study = automatic(), .engine = one_thread()});
  EXPECT_EQ(all.trials.size(), 12U);
}

TEST(Auto, SaysWhatItHasLearned) {
  OptimizeSpec spec = automatic();
  spec.initial = 16;  // results all over the space say most about variables
  Study study(Space::box(2, -1.0, 1.0), spec, one_thread());
  EXPECT_FALSE(study.outlook());
  EXPECT_TRUE(study.importances().empty());
  for (int i = 0; i < 20; ++i) {
    const Trial trial = study.ask();
    study.tell(trial, 5.0 * trial.point[0] * trial.point[0] + 0.1 * trial.point[1]);
  }
  const std::optional<Outlook> outlook = study.outlook();
  ASSERT_TRUE(outlook);
  EXPECT_EQ(outlook->best.id, study.best()->id);
  EXPECT_NEAR(outlook->mean, *study.best()->value, 0.05);
  EXPECT_LT(outlook->sigma, 0.1);
  EXPECT_GE(outlook->gain, 0.0);
  const std::vector<Importance> shares = study.importances();
  ASSERT_EQ(shares.size(), 2U);
  EXPECT_GT(shares[0].share, 0.95);
  EXPECT_NEAR(shares[0].share + shares[1].share, 1.0, 1e-9);
  EXPECT_LT(shares[0].deviation, 0.2);
}

TEST(Auto, ImportancesHoldOnceTrialsCluster) {
  Study study(Space::box(4, 0.0, 1.0), automatic(), one_thread());
  constexpr double weights[] = {4.0, 2.0, 1.0, 0.0};
  for (int i = 0; i < 50; ++i) {
    const Trial trial = study.ask();
    double value = 0.0;
    for (std::size_t j = 0; j < 4; ++j) value += weights[j] * std::pow(trial.point[j] - 0.3, 2);
    study.tell(trial, value);
  }
  EXPECT_LT(*study.best()->value, 1e-3);  // so most trials are around the best point
  const std::vector<Importance> shares = study.importances();
  constexpr double right[] = {16.0 / 21.0, 4.0 / 21.0, 1.0 / 21.0, 0.0};
  for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(shares[j].share, right[j], 0.1);
}

TEST(Auto, AnAcquisitionOfOnesOwnKeepsTheBudget) {
  Study study(Space::box(2, -1.0, 1.0), automatic(), one_thread());
  evaluate(study, 12);
  study.set_budget(14);
  (void)study.enqueue({{0.5, 0.5}});  // it waits, so that the study does not count as finished
  EXPECT_EQ(study.ask_by([](double mean, double, double) { return -mean; }, 3).size(), 1U);
  EXPECT_EQ(study.status().trials, 14);
}

TEST(Auto, TakesAnAcquisitionOfOnesOwn) {
  Study study(Space::box(2, -1.0, 1.0), automatic(), one_thread());
  EXPECT_TRUE(study.ask_by([](double mean, double, double) { return -mean; }).empty());
  evaluate(study, 12);
  const std::vector<Trial> asked = study.ask_by([](double mean, double, double) { return -mean; }, 2);
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_EQ(asked[0].origin, "custom");
  EXPECT_LT(wavy(asked[0].point), *study.best()->value + 0.02);
  for (const Trial& trial : asked) study.tell(trial, wavy(trial.point));
  evaluate(study, 2);
  const VerifyReport report = study.verify();
  EXPECT_TRUE(report.clean()) << report.problems.front();
}

TEST(Auto, ManyVariablesImproveFromTheFirstTrialsOn) {
  const auto best_by_rules = [](std::int64_t rules) {
    OptimizeSpec spec = automatic();
    spec.rules = rules;
    return minimize(bowl, Space::box(16, -1.0, 1.0), {.evaluations = 25, .study = spec, .engine = one_thread()}).value;
  };
  EXPECT_LT(best_by_rules(3), 0.7 * best_by_rules(2));
}

TEST(Auto, AFewHugeResultsDoNotHideTheOthers) {
  // Diverges: from 0.7 of the first variable on, results grow to a billion.
  const auto diverging = [](const Point& x) { return bowl(x) + std::pow(10.0, 30.0 * (x[0] - 0.7)); };
  const auto best_by_rules = [&](std::int64_t rules, std::int64_t seed) {
    OptimizeSpec spec = automatic();
    spec.rules = rules;
    spec.seed = seed;
    return minimize(diverging, Space::box(3, -1.0, 1.0), {.evaluations = 30, .study = spec, .engine = one_thread()})
        .value;
  };
  for (const std::int64_t seed : {1, 2}) EXPECT_LT(best_by_rules(5, seed), 0.1 * best_by_rules(4, seed));
}

TEST(Auto, TheBorderOfWhatFailsIsReached) {
  // The least value is 0.6 - 0.55 away from the border, on the sum of two variables.
  const auto best_by_rules = [](std::int64_t rules, std::int64_t seed) {
    OptimizeSpec spec = automatic();
    spec.rules = rules;
    spec.seed = seed;
    Study study(Space::box(3, -1.0, 1.0), spec, one_thread());
    for (int i = 0; i < 30; ++i) {
      const Trial trial = study.ask();
      if (trial.point[0] + trial.point[1] < 0.55) {
        study.fail(trial.id, "diverged");
      } else {
        study.tell(trial, bowl(trial.point));
      }
    }
    EXPECT_LT(study.status().failed, 20);
    return *study.best()->value;
  };
  for (const std::int64_t seed : {1, 2}) EXPECT_LT(best_by_rules(3, seed), 0.2 * best_by_rules(2, seed));
}

TEST(Auto, KnowledgeIsGainedWhereItDecides) {
  // Two points of equal worth: the expected maximum of two standard normal numbers, one of them fixed.
  EXPECT_NEAR(expected_rise({0.0, 0.0}, {0.0, 1.0}), 0.3989422804, 1e-9);
  EXPECT_NEAR(expected_rise({0.0, 0.0, -1e9}, {-1.0, 1.0, 5.0}), 0.7978845608, 1e-9);
  EXPECT_EQ(expected_rise({0.0, 1.0}, {0.5, 0.5}), 0.0);  // whatever comes, the second one stays the best
}

TEST(Auto, TheBestOfANoisyStudyIsTheModelsChoice) {
  const auto filled = [](bool noisy) {
    OptimizeSpec spec = automatic();
    spec.noisy = noisy;
    auto study = std::make_unique<Study>(Space::box(1, -1.0, 1.0), spec, one_thread());
    Random noise(3);
    for (int i = 0; i < 33; ++i) {
      const Point point{-1.0 + 0.2 * (i % 11)};
      study->add(point, 3.0 * bowl(point) + 0.1 * noise.normal());
    }
    study->add({-1.0}, -1.0);  // luck: about 5 is expected there
    return study;
  };
  const auto noisy = filled(true);
  EXPECT_EQ(noisy->status().best_result->value, -1.0);
  EXPECT_LT(bowl(noisy->best()->point), 0.1);
  EXPECT_EQ(noisy->best()->id, noisy->outlook()->best.id);
  const auto exact = filled(false);
  EXPECT_EQ(exact->best()->value, -1.0);
}

TEST(Auto, MinimizeReturnsTheBestOfANoisyStudy) {
  OptimizeSpec spec = automatic();
  spec.noisy = true;
  Study study(Space::box(1, -1.0, 1.0), spec, one_thread());
  for (int i = 0; i < 33; ++i) {
    const Point point{-1.0 + 0.2 * (i % 11)};
    study.add(point, 3.0 * bowl(point) + 0.01 * (i % 7));
  }
  study.add({-1.0}, -1.0);
  study.set_budget(35);
  const Optimum found = optimize(study, [](const Point& x) { return 3.0 * bowl(x); });
  EXPECT_EQ(found.trials.size(), 35U);
  EXPECT_LT(bowl(found.point), 0.1);
  EXPECT_EQ(found.point, study.best()->point);
}

TEST(Auto, NoisyStudiesDoNotRepeatTheirBestPointForNothing) {
  OptimizeSpec spec = automatic();
  spec.noisy = true;
  Study study(Space::box(3, -1.0, 1.0), spec, one_thread());
  Random noise(5);
  for (int i = 0; i < 40; ++i) {
    const Trial trial = study.ask();
    study.tell(trial, 3.0 * bowl(trial.point) + 0.3 * noise.normal());
  }
  const Point best = study.outlook()->best.point;
  EXPECT_LT(bowl(best), 0.1);
  EXPECT_EQ(study.best()->id, study.outlook()->best.id);  // the model's choice, not the luckiest result
  int close = 0;
  for (const Trial& trial : study.trials(20)) {
    double distance = 0.0;
    for (std::size_t j = 0; j < 3; ++j) distance = std::max(distance, std::abs(trial.point[j] - best[j]));
    close += distance <= 0.02 ? 1 : 0;  // a percent of the range
  }
  EXPECT_LE(close, 6);
  const VerifyReport report = study.verify();
  EXPECT_TRUE(report.clean()) << report.problems.front();
  EXPECT_EQ(report.exact, 40);
}

TEST(ImportTable, ReadsWhatExportWrites) {
  const Space space = Space::box(2, -1.0, 1.0);
  Study study(space, automatic(), one_thread());
  evaluate(study, 3);
  (void)study.ask();
  const Table table = trials_table(space, study.trials());
  const std::vector<TrialResult> results = results_from_table(space, table);
  ASSERT_EQ(results.size(), 3U);  // the pending trial has no value
  Study copy(space, automatic(), one_thread());
  EXPECT_EQ(copy.tell(results).size(), 3U);
  EXPECT_EQ(copy.trial(2).point, study.trial(2).point);
  EXPECT_EQ(*copy.trial(2).value, *study.trial(2).value);
}

TEST(ImportTable, NamesTheWrongCell) {
  const Space space = Space::box(1, -1.0, 1.0);
  const auto refused = [&](const char* text) {
    return message_of<DataError>([&] { (void)results_from_table(space, parse_table(text, "old.csv")); });
  };
  EXPECT_NE(refused("x1,value\n0.5,1\nabc,2\n").find("x1"), std::string::npos);
  EXPECT_NE(refused("x1,value\n0.5,one\n").find("finite number"), std::string::npos);
  EXPECT_NE(refused("x1,value\n0.5,1\n\n7,1\n").find("row 4:"), std::string::npos);
  EXPECT_NE(refused("x1,result\n0.5,1\n").find("value"), std::string::npos);
}

}  // namespace
}  // namespace nomu
