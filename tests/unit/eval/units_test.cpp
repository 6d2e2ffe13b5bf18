#include <gtest/gtest.h>

#include <cmath>

#include "eval/student.hpp"
#include "message_of.hpp"
#include "nomu/core/random.hpp"
#include "nomu/eval/bounds.hpp"
#include "nomu/eval/calibration.hpp"
#include "nomu/eval/metrics.hpp"

namespace nomu {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using Values = std::vector<double>;
using Numbers = std::vector<std::size_t>;

PredictedRows zeros(std::size_t rows) { return {.mean = Values(rows, 0.0), .sigma_model = Values(rows, 1.0)}; }

CalibrationRows groups(Numbers units) { return {.unit = CalibrationUnit::new_groups, .units = std::move(units)}; }

TEST(Units, EachGroupCountsOnce) {
  // Groups 7 (errors 1, 2, 3, 4) and 9 (error 10): masses 1/4 each and 1, of 3 with the new group.
  const Calibration c = calibrate_conformal(zeros(5), Values{4, 10, 2, 3, 1}, {}, groups({7, 9, 7, 7, 7}));
  EXPECT_EQ(c.units, 2U);
  EXPECT_THAT(c.score_units, ElementsAre(0, 0, 0, 0, 1));
  EXPECT_EQ(unit_count(c), 2U);
  EXPECT_EQ(half_width(c, 1.0, 0.0, 1.0 / 3.0), 4.0) << "one group's mass is a third";
  EXPECT_EQ(half_width(c, 1.0, 0.0, 0.25), 3.0);
  EXPECT_EQ(half_width(c, 1.0, 0.0, 0.5), 10.0);
  EXPECT_EQ(half_width(c, 1.0, 0.0, 2.0 / 3.0), 10.0);
  EXPECT_EQ(message_of<ConfigError>([&] { return half_width(c, 1.0, 0.0, 0.7); }),
            "[eval/calibration] level 0.7 needs at least 3 calibration groups, but there are 2");
  EXPECT_EQ(guarantee(c, 0.6),
            "a row of a new group like the 2 groups of the 5 calibration rows (exchangeable with them) is covered with "
            "probability at least 60 % (split conformal, each group counts once)");
}

TEST(Units, RowsOfTheirOwnChangeNothing) {
  const Values targets{1, -2, 3, -4};
  Calibration plain = calibrate_conformal(zeros(4), targets);
  Calibration single =
      calibrate_conformal(zeros(4), targets, {}, {.unit = CalibrationUnit::rows, .units = {3, 1, 0, 2}});
  EXPECT_EQ(plain, single);
}

TEST(Units, EqualInputsGiveTheWiderOfTwoRules) {
  // Many rows of inputs 0 with large errors, one of each other: by units 0.7 of 5 is the mass 3.5, by rows 0.7 of 11.
  const Numbers units{0, 0, 0, 0, 0, 0, 0, 1, 2, 3};
  const Values often{10, 10, 10, 10, 10, 10, 10, 1, 2, 3};
  const CalibrationRows known{.unit = CalibrationUnit::new_inputs, .units = units};
  EXPECT_EQ(half_width(calibrate_conformal(zeros(10), often, {}, known), 1.0, 0.0, 0.55), 10.0);
  const Values seldom{1, 1, 1, 1, 1, 1, 1, 10, 20, 30};
  EXPECT_EQ(half_width(calibrate_conformal(zeros(10), seldom, {}, known), 1.0, 0.0, 0.55), 20.0);
  EXPECT_THAT(guarantee(calibrate_conformal(zeros(10), seldom, {}, known), 0.55),
              AllOf(HasSubstr("with new inputs like the 4 distinct ones of the 10 calibration rows"),
                    HasSubstr("equal inputs count once")));
}

/// Errors of a group share a part, so that rows of one group say little about others.
struct Groups {
  Values targets;
  Numbers units;
  Groups(std::size_t count, std::size_t rows, Random& random) {
    for (std::size_t g = 0; g < count; ++g) {
      const double shift = 3.0 * random.normal();
      for (std::size_t i = 0; i < rows + g % 3; ++i) {
        targets.push_back(shift + random.normal());
        units.push_back(g);
      }
    }
  }
};

TEST(Units, NewGroupsAreCoveredAsPromised) {
  for (const auto& [count, level] : {std::pair<std::size_t, double>{10, 0.9}, {25, 0.8}}) {
    Random random(count);
    constexpr int rounds = 3000;
    int covered = 0;
    for (int round = 0; round < rounds; ++round) {
      const Groups seen(count, 4, random);
      const Groups fresh(1, 1, random);
      const PredictedRows rows = zeros(seen.targets.size());
      const Values target{fresh.targets[0]};
      const Calibration c = calibrate_conformal(rows, seen.targets, {}, groups(seen.units));
      covered += coverage(make_bounds(zeros(1), c, level), target) == 1.0 ? 1 : 0;
    }
    const double limit = 3.0 * std::sqrt(level * (1.0 - level) / rounds);
    EXPECT_GE(static_cast<double>(covered) / rounds, level - limit) << count;
  }
}

TEST(Units, CrossBoundsOfGroups) {
  // Fold models that say 0 and 10; groups 0 (fold 0, errors 1 and 2) and 1 (fold 1, error 3).
  const Calibration c = calibrate_cross_conformal(zeros(3), Values{1, 2, 3}, Numbers{0, 0, 1}, {}, groups({0, 0, 1}));
  const std::vector<PredictedRows> models{{.mean = {0}, .sigma_model = {1}}, {.mean = {10}, .sigma_model = {1}}};
  // Upper ends 1 and 2 of mass 1/2, 13 of mass 1; lower ends -1, -2, 7.
  EXPECT_THAT(cross_bounds(models, c, 0.6).upper, ElementsAre(13));
  EXPECT_THAT(cross_bounds(models, c, 0.6).lower, ElementsAre(-2));
  EXPECT_THAT(guarantee(c, 0.6), HasSubstr("a row of a new group like the 2 groups of the 3 rows"));
  EXPECT_NEAR(guaranteed_coverage(c, 0.6), 1.0 - 0.8, 1e-12) << "one group per fold needs no allowance";
  EXPECT_THAT(message_of([] {
                return calibrate_cross_conformal(zeros(3), Values{1, 2, 3}, Numbers{0, 1, 1}, {}, groups({0, 0, 1}));
              }),
              HasSubstr("unit 0 lies in more than one fold"));
}

TEST(Units, ALowerLevelNeverGivesWiderBounds) {
  Random random(4);
  for (int round = 0; round < 40; ++round) {
    const std::size_t n = 30;
    const std::size_t folds = round % 2 == 0 ? 5 : 30;
    Values targets;
    Numbers fold;
    CalibrationRows known = groups({});
    for (std::size_t i = 0; i < n; ++i) {
      targets.push_back(0.3 * random.normal());
      fold.push_back(i % folds);
      known.units.push_back(round % 4 < 2 ? i : folds * (i % folds) + random.below(2) * (folds == 5 ? 1 : 0));
    }
    const Calibration c = calibrate_cross_conformal(zeros(n), targets, fold, {}, known);
    std::vector<PredictedRows> models;
    for (std::size_t k = 0; k < folds; ++k) models.push_back({.mean = {3.0 * random.normal()}, .sigma_model = {1.0}});
    Bounds inner = cross_bounds(models, c, 0.01);
    for (double level = 0.03; level < static_cast<double>(unit_count(c)) / static_cast<double>(unit_count(c) + 1);
         level += 0.02) {
      const Bounds outer = cross_bounds(models, c, level);
      ASSERT_LE(outer.lower[0], outer.upper[0]);
      ASSERT_LE(outer.lower[0], inner.lower[0]) << level;
      ASSERT_GE(outer.upper[0], inner.upper[0]) << level;
      inner = outer;
    }
  }
}

TEST(Units, StrataHaveTheirOwnScores) {
  CalibrationRows known{.strata = {}};
  Values targets;
  for (int i = 1; i <= 9; ++i) {
    targets.insert(targets.end(), {0.1 * i, 10.0 * i});
    known.strata.insert(known.strata.end(), {"calm", "wild"});
  }
  targets.push_back(5.0);
  known.strata.emplace_back("rare");
  const Calibration c = calibrate_conformal(zeros(19), targets, {}, known);
  EXPECT_THAT(c.strata, ElementsAre("calm", "rare", "wild"));
  const std::vector<std::string> names{"calm", "wild", "rare", "new"};
  const Bounds bounds = make_bounds(zeros(4), c, 0.9, names);
  EXPECT_THAT(bounds.upper, ElementsAre(testing::DoubleEq(0.9), 90.0, 80.0, 90.0));
  EXPECT_THAT(make_bounds(zeros(1), c, 0.9).upper, ElementsAre(90.0)) << "without a name, the widest";
  EXPECT_THAT(guarantee(c, 0.9), HasSubstr("at least 90 % (split conformal), within each of 2 names by itself and for "
                                           "rare names together (1); nothing is promised for rows of other names"));
  EXPECT_THAT(message_of([&] { return make_bounds(zeros(3), c, 0.9, names); }), HasSubstr("4 strata given for 3 rows"));
  const Numbers folds{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0};
  const Calibration cross = calibrate_cross_conformal(zeros(19), targets, folds, {}, known);
  const std::vector<PredictedRows> models{zeros(4), zeros(4)};
  EXPECT_THAT(cross_bounds(models, cross, 0.9, {}, names).upper, ElementsAre(testing::DoubleEq(0.9), 90.0, 80.0, 90.0));
}

TEST(Units, RareNamesKeepTheLevelTogetherOrPromiseNothing) {
  CalibrationRows known;
  Values targets;
  const auto add = [&](const std::string& name, int rows, double size) {
    for (int i = 1; i <= rows; ++i) {
      targets.push_back(size * i);
      known.strata.push_back(name);
    }
  };
  add("common", 20, 0.01);
  add("few", 5, 10.0);
  Calibration c = calibrate_conformal(zeros(targets.size()), targets, {}, known);
  std::vector<StratumClaim> claims = stratum_claims(c, 0.9);
  EXPECT_EQ(claims[0].basis, StratumClaim::Basis::own);
  EXPECT_EQ(claims[0].coverage, 0.9);
  EXPECT_EQ(claims[1].basis, StratumClaim::Basis::nothing) << "5 rows of rare names do not support 90 %";
  EXPECT_EQ(claims[1].coverage, 0.0);
  EXPECT_EQ(claims[1].rows, 5U);
  EXPECT_EQ(guaranteed_coverage(c, 0.9), 0.9) << "of the names with a promise";
  EXPECT_THAT(guarantee(c, 0.9), HasSubstr(", within 1 name; nothing is promised for rows of other names"));

  add("scarce", 4, 1.0);
  c = calibrate_conformal(zeros(targets.size()), targets, {}, known);
  claims = stratum_claims(c, 0.9);
  EXPECT_EQ(claims[1].basis, StratumClaim::Basis::rare_together) << "9 rows do";
  EXPECT_EQ(claims[2].basis, StratumClaim::Basis::rare_together);
  const std::vector<std::string> names{"common", "few", "scarce"};
  EXPECT_THAT(make_bounds(zeros(3), c, 0.9, names).upper, ElementsAre(testing::DoubleEq(0.19), 50.0, 50.0));
  EXPECT_THAT(stratum_claims(calibrate_conformal(zeros(3), Values{1, 2, 3}), 0.5), testing::IsEmpty());
}

TEST(Units, LaterRowsNameTheirAssumption) {
  const Calibration c = calibrate_conformal(zeros(4), Values{1, 2, 3, 4}, {}, {.unit = CalibrationUnit::later_rows});
  EXPECT_EQ(guaranteed_coverage(c, 0.8), 0.0) << "nothing is proven without the assumption";
  EXPECT_EQ(guarantee(c, 0.8),
            "a later row, if later rows are like the 4 latest ones and nothing drifts, is covered with probability at "
            "least 80 % (split conformal); where they drift this does not hold, but bounds that adapt to results do "
            "(predict --adapt)");
}

TEST(Units, FewGroupsWidenAGaussianCalibration) {
  const Calibration rows = calibrate_nll(zeros(4), Values{1, -1, 1, -1});
  const Calibration few = with_units(rows, groups({0, 0, 1, 1}));
  EXPECT_NEAR(half_width(rows, 1.0, 0.0, 0.95), 1.96, 0.001);
  EXPECT_NEAR(half_width(few, 1.0, 0.0, 0.95), 4.3027, 0.001) << "Student's t with 2 degrees of freedom";
  EXPECT_THAT(guarantee(few, 0.95),
              AllOf(HasSubstr("measured, not proven"), HasSubstr("2 groups prove at most 66.67 %")));
  EXPECT_EQ(guaranteed_coverage(few, 0.95), 0.0);
  EXPECT_NEAR(student_central_quantile(0.95, 1), 12.7062, 1e-4);
  EXPECT_NEAR(student_central_quantile(0.95, 7), 2.3646, 1e-4);
  EXPECT_NEAR(student_central_quantile(0.9, 10), 1.8125, 1e-4);
  EXPECT_NEAR(student_central_quantile(0.99, 1000), 2.5808, 1e-4);
}

TEST(Units, DamageIsNoticed) {
  const Calibration good = calibrate_conformal(zeros(3), Values{1, 2, 3}, {}, groups({0, 0, 1}));
  const auto damaged = [&](auto&& change) {
    Calibration bad = good;
    change(bad);
    return message_of([&] {
      check_calibration(bad);
      return 0;
    });
  };
  EXPECT_EQ(damaged([](Calibration&) {}), "no error");
  EXPECT_THAT(damaged([](Calibration& c) { c.units = 4; }), HasSubstr("more units than rows"));
  EXPECT_THAT(damaged([](Calibration& c) { c.units = 3; }), HasSubstr("a unit without rows"));
  EXPECT_THAT(damaged([](Calibration& c) { c.score_units[0] = 9; }), HasSubstr("a unit that does not exist"));
  EXPECT_THAT(damaged([](Calibration& c) { c.score_units.pop_back(); }), HasSubstr("units are not one per row"));
  EXPECT_THAT(damaged([](Calibration& c) { c.strata = {"a"}; }), HasSubstr("strata are not one per row"));
  EXPECT_THAT(damaged([](Calibration& c) {
                c.strata = {"a"};
                c.score_strata = {0, 0, 1};
              }),
              HasSubstr("a stratum that does not exist"));
  EXPECT_THAT(damaged([](Calibration& c) { c.unit = static_cast<CalibrationUnit>(99); }), HasSubstr("unknown unit"));
}

}  // namespace
}  // namespace nomu
