#include "nomu/data/split.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "message_of.hpp"
#include "nomu/core/random.hpp"

namespace nomu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

void expect_partition(const Split& split, std::size_t rows) {
  std::vector<std::size_t> all = split.train;
  all.insert(all.end(), split.test.begin(), split.test.end());
  std::ranges::sort(all);
  ASSERT_EQ(all.size(), rows);
  for (std::size_t i = 0; i < rows; ++i) ASSERT_EQ(all[i], i);
  ASSERT_FALSE(split.train.empty());
  ASSERT_FALSE(split.test.empty());
  ASSERT_TRUE(std::ranges::is_sorted(split.train));
  ASSERT_TRUE(std::ranges::is_sorted(split.test));
}

std::vector<std::string> random_groups(std::size_t rows, std::size_t groups, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < rows; ++i) names.push_back("g" + std::to_string(i < groups ? i : random.below(groups)));
  return names;
}

void expect_whole_groups(const Split& split, const std::vector<std::string>& groups) {
  std::set<std::string> test;
  for (const std::size_t i : split.test) test.insert(groups[i]);
  for (const std::size_t i : split.train) ASSERT_FALSE(test.contains(groups[i])) << groups[i];
}

TEST(Split, RandomPartsHaveTheSizeAskedFor) {
  for (std::size_t rows = 2; rows < 60; ++rows) {
    const Split split = random_split(rows, 0.2, rows);
    expect_partition(split, rows);
    EXPECT_EQ(split.test.size(),
              std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(0.2 * static_cast<double>(rows)))));
  }
  expect_partition(random_split(3, 0.999, 1), 3);
  EXPECT_EQ(random_split(50, 0.3, 9), random_split(50, 0.3, 9));
  EXPECT_NE(random_split(50, 0.3, 9), random_split(50, 0.3, 10));
}

TEST(Split, EveryRowIsTestedWithEqualChance) {
  std::vector<int> count(10, 0);
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    for (const std::size_t i : random_split(10, 0.3, seed).test) ++count[i];
  }
  for (const int c : count) EXPECT_NEAR(c, 1200, 150);
}

TEST(Split, FoldsDivideTheRowsEvenly) {
  for (std::size_t rows = 2; rows < 40; ++rows) {
    for (std::size_t k = 2; k <= rows; ++k) {
      const std::vector<Split> folds = k_folds(rows, k, 5);
      ASSERT_EQ(folds.size(), k);
      std::vector<int> tested(rows, 0);
      for (const Split& fold : folds) {
        expect_partition(fold, rows);
        ASSERT_GE(fold.test.size(), rows / k);
        ASSERT_LE(fold.test.size(), (rows + k - 1) / k);
        for (const std::size_t i : fold.test) ++tested[i];
      }
      ASSERT_TRUE(std::ranges::all_of(tested, [](int t) { return t == 1; }));
    }
  }
  EXPECT_EQ(k_folds(30, 4, 1), k_folds(30, 4, 1));
  EXPECT_NE(k_folds(30, 4, 1), k_folds(30, 4, 2));
}

TEST(Split, GroupsAreNeverTornApart) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const std::size_t count = 2 + seed % 9;
    const std::vector<std::string> groups = random_groups(40, count, seed);
    const std::size_t k = 2 + seed % (count - 1);
    std::vector<int> tested(40, 0);
    for (const Split& fold : group_folds(groups, k, seed)) {
      expect_partition(fold, 40);
      expect_whole_groups(fold, groups);
      for (const std::size_t i : fold.test) ++tested[i];
    }
    ASSERT_TRUE(std::ranges::all_of(tested, [](int t) { return t == 1; }));
  }
}

TEST(Split, ManySmallGroupsMakeEvenFolds) {
  const std::vector<std::string> groups = random_groups(1000, 200, 4);
  for (const Split& fold : group_folds(groups, 5, 1)) EXPECT_NEAR(static_cast<double>(fold.test.size()), 200, 2);
}

TEST(Split, TheLatestRowsAreTested) {
  EXPECT_EQ(time_split(std::vector<double>{5, 1, 4, 2, 3}, 0.4), (Split{.train = {1, 3, 4}, .test = {0, 2}}));
}

TEST(Split, EqualTimesStayTogether) {
  EXPECT_THAT(time_split(std::vector<double>{1, 2, 2, 2, 3}, 0.4).test, ElementsAre(4));
  EXPECT_THAT(time_split(std::vector<double>{1, 2, 2, 2, 3}, 0.6).test, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(time_split(std::vector<double>{1, 1, 1, 2}, 0.75).test, ElementsAre(3));
  EXPECT_THAT(time_split(std::vector<double>{1, 2, 2, 2}, 0.25).test, ElementsAre(1, 2, 3));
  Random random(8);
  for (int round = 0; round < 300; ++round) {
    std::vector<double> times = {-1};
    for (int i = 0; i < 20; ++i) times.push_back(static_cast<double>(random.below(6)));
    const Split split = time_split(times, random.uniform(0.01, 0.99));
    expect_partition(split, times.size());
    double latest_train = -10;
    for (const std::size_t i : split.train) latest_train = std::max(latest_train, times[i]);
    for (const std::size_t i : split.test) ASSERT_GT(times[i], latest_train);
  }
}

TEST(Split, EqualInputsAreOneUnit) {
  const Units units = distinct_rows(std::vector<double>{1, 2, 3, 4, 1, 2, 0.0, 5, 3, 4, -0.0, 5, 2, 1}, 2);
  EXPECT_EQ(units.count, 4U);
  EXPECT_THAT(units.of_row, ElementsAre(0, 1, 0, 2, 1, 2, 3));
  EXPECT_EQ(distinct_rows(std::vector<double>{}, 3).count, 0U);
  const std::vector<std::string> names{"b", "a", "b", "c"};
  EXPECT_EQ(group_units(names), (Units{.of_row = {1, 0, 1, 2}, .count = 3}));
}

TEST(Split, UnitsAreNeverTornApart) {
  Random random(3);
  std::vector<double> inputs;
  for (std::size_t i = 0; i < 200; ++i) inputs.push_back(std::floor(random.uniform(0.0, 40.0)));
  const Units units = distinct_rows(inputs, 1);
  const auto expect_whole = [&](const Split& split) {
    expect_partition(split, 200);
    std::set<double> train;
    for (const std::size_t i : split.train) train.insert(inputs[i]);
    for (const std::size_t i : split.test) ASSERT_FALSE(train.contains(inputs[i]));
  };
  const Split once = unit_split(units, 0.2, 5);
  expect_whole(once);
  std::set<double> tested;
  for (const std::size_t i : once.test) tested.insert(inputs[i]);
  EXPECT_EQ(tested.size(), static_cast<std::size_t>(std::llround(0.2 * static_cast<double>(units.count))));
  for (const Split& fold : unit_folds(units, 10, 5)) expect_whole(fold);
}

TEST(Split, RowsThatDifferAreSplitAsBefore) {
  std::vector<double> inputs;
  for (std::size_t i = 0; i < 50; ++i) inputs.push_back(static_cast<double>(i));
  const Units units = distinct_rows(inputs, 1);
  EXPECT_EQ(unit_split(units, 0.2, 9), random_split(50, 0.2, 9));
  EXPECT_EQ(unit_folds(units, 7, 9), k_folds(50, 7, 9));
}

TEST(Split, RefusesWhatCannotBeSplit) {
  for (const double fraction : {0.0, 1.0, -0.1, std::nan("")}) {
    EXPECT_THAT(message_of<ConfigError>([&] { return random_split(10, fraction, 1); }),
                HasSubstr("[data/split] the test fraction must lie between 0 and 1 (exclusive), got "));
  }
  EXPECT_THAT(message_of([] { return random_split(1, 0.5, 1); }), HasSubstr("1 rows cannot be split"));
  EXPECT_THAT(message_of<ConfigError>([] { return k_folds(10, 1, 1); }),
              HasSubstr("at least 2 folds are needed, got 1"));
  EXPECT_THAT(message_of<ConfigError>([] { return k_folds(3, 4, 1); }),
              HasSubstr("4 folds requested, but there are only 3 rows"));
  const std::vector<std::string> two = {"a", "b", "a"};
  EXPECT_THAT(message_of([&] { return group_folds(two, 3, 1); }),
              HasSubstr("2 groups found, but at least 3 are needed"));
  EXPECT_THAT(message_of([] {
                return time_split(std::vector<double>{2, 2}, 0.5);
              }),
              HasSubstr("fewer than two different times"));
  EXPECT_THAT(message_of([] {
                return time_split(std::vector<double>{2, std::nan("")}, 0.5);
              }),
              HasSubstr("the time of row 1 (counted from 0) is nan"));
}

TEST(Split, StrataGetTheSameShareOfEveryPart) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < 200; ++i) names.emplace_back(i % 10 == 0 ? "rare" : i % 2 == 0 ? "even" : "odd");
  Units rows{.of_row = std::vector<std::size_t>(200), .count = 200};
  std::iota(rows.of_row.begin(), rows.of_row.end(), std::size_t{0});
  const Units units = stratified(rows, names);
  ASSERT_EQ(units.stratum.size(), 200U);
  EXPECT_EQ(units.stratum[0], 0U) << "the smallest first";
  const auto count = [&](const Split& split, const std::string& name) {
    return std::ranges::count_if(split.test, [&](std::size_t i) { return names[i] == name; });
  };
  const Split split = unit_split(units, 0.2, 7);
  EXPECT_EQ(count(split, "rare"), 4);
  EXPECT_EQ(count(split, "even"), 16);
  EXPECT_EQ(count(split, "odd"), 20);
  for (const Split& fold : unit_folds(units, 10, 7)) {
    EXPECT_EQ(count(fold, "rare"), 2);
    EXPECT_EQ(count(fold, "odd"), 10);
  }
  EXPECT_TRUE(stratified({.of_row = std::vector<std::size_t>(200, 0), .count = 1}, names).stratum.empty())
      << "a unit with several names";
  EXPECT_EQ(stratified(rows, {}), rows);
}

}  // namespace
}  // namespace nomu
