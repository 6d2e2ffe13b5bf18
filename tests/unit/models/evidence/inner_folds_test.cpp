#include "models/evidence/rows/inner_folds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "nomu/core/random.hpp"

namespace nomu {
namespace {

using testing::SizeIs;

/// Every row is in the test part of exactly one split and in the training part of all others.
void expect_partition(const std::vector<Split>& splits, std::size_t rows) {
  std::vector<int> tested(rows, 0);
  for (const Split& split : splits) {
    EXPECT_FALSE(split.test.empty());
    EXPECT_EQ(split.train.size() + split.test.size(), rows);
    std::set<std::size_t> all(split.train.begin(), split.train.end());
    all.insert(split.test.begin(), split.test.end());
    EXPECT_EQ(all.size(), rows);
    for (const std::size_t i : split.test) ++tested[i];
  }
  EXPECT_THAT(tested, testing::Each(1));
}

/// `rows` rows of two columns with only `distinct` different inputs.
DataSet repeated(std::size_t rows, std::size_t distinct) {
  Random random(2);
  std::vector<double> inputs;
  std::vector<double> targets;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto k = static_cast<double>(i < distinct ? i : random.below(distinct));
    inputs.insert(inputs.end(), {k, -k});
    targets.push_back(random.normal());
  }
  return make_dataset(inputs, 2, targets);
}

TEST(InnerFolds, EqualInputsAreNeverOnBothSides) {
  const DataSet data = repeated(100, 30);
  const std::vector<Split> splits = inner_folds(data, 5, 7);
  ASSERT_THAT(splits, SizeIs(5));
  expect_partition(splits, 100);
  for (const Split& split : splits) {
    for (const std::size_t i : split.test) {
      for (const std::size_t j : split.train) ASSERT_FALSE(std::ranges::equal(data.row(i), data.row(j)));
    }
  }
  EXPECT_EQ(inner_folds(data, 5, 7), splits);
  EXPECT_NE(inner_folds(data, 5, 8), splits);
}

TEST(InnerFolds, DistinctRowsAreDividedEvenly) {
  const std::vector<Split> splits = inner_folds(repeated(52, 52), 5, 1);
  expect_partition(splits, 52);
  for (const Split& split : splits) EXPECT_NEAR(static_cast<double>(split.test.size()), 10.5, 0.6);
}

TEST(InnerFolds, WithHardlyAnyDistinctInputsRowsAreDivided) {
  const std::vector<Split> splits = inner_folds(repeated(50, 3), 5, 1);
  expect_partition(splits, 50);
  for (const Split& split : splits) EXPECT_THAT(split.test, SizeIs(10));
}

TEST(InnerFolds, GroupsStayTogether) {
  DataSet data = repeated(60, 60);
  for (std::size_t i = 0; i < 60; ++i) data.groups.push_back(std::to_string(i % 7));
  const std::vector<Split> splits = inner_folds(data, 5, 1);
  expect_partition(splits, 60);
  for (const Split& split : splits) {
    std::set<std::string> tested;
    for (const std::size_t i : split.test) tested.insert(data.groups[i]);
    for (const std::size_t i : split.train) EXPECT_FALSE(tested.contains(data.groups[i]));
  }
  for (std::string& group : data.groups) group = group < "4" ? "a" : "b";
  const std::vector<Split> few = inner_folds(data, 5, 1);  // two groups cannot fill five folds
  ASSERT_THAT(few, SizeIs(5));
  expect_partition(few, 60);
}

TEST(InnerFolds, TimesAreCutIntoStretches) {
  DataSet data = repeated(43, 43);
  const std::vector<std::size_t> order = Random(9).permutation(43);
  for (const std::size_t place : order) data.times.push_back(static_cast<double>(place));
  const std::vector<Split> splits = inner_folds(data, 5, 1);
  expect_partition(splits, 43);
  double before = -1.0;
  for (const Split& split : splits) {
    std::vector<double> times;
    for (const std::size_t i : split.test) times.push_back(data.times[i]);
    const auto [first, last] = std::ranges::minmax(times);
    EXPECT_GT(first, before) << "stretches follow each other";
    EXPECT_EQ(last - first + 1.0, static_cast<double>(times.size())) << "and have no gaps";
    before = last;
  }
}

TEST(InnerFolds, EachNetworkMayLearnFromOnePartAlone) {
  const std::vector<Split> parts = inner_folds(repeated(60, 60), 5, 1);
  const std::vector<Split> lean = one_part_each(parts);
  for (std::size_t f = 0; f < 5; ++f) {
    EXPECT_EQ(lean[f].test, parts[f].test);
    EXPECT_EQ(lean[f].train, parts[(f + 4) % 5].test);
  }
}

TEST(JudgingRows, WithoutTimesAllRowsJudgeOnce) {
  const DataSet data = repeated(50, 50);
  const std::vector<std::size_t> judges = judging_rows(data, inner_folds(data, 5, 1));
  ASSERT_THAT(judges, SizeIs(50));
  for (std::size_t i = 0; i < judges.size(); ++i) EXPECT_EQ(judges[i], i);
}

TEST(JudgingRows, WithTimesARowCountsByWhatItsNetworksLearnedFromEarlierRows) {
  DataSet data = repeated(50, 50);
  for (std::size_t i = 0; i < 50; ++i) data.times.push_back(static_cast<double>(50 - i));
  const std::vector<std::size_t> judges = judging_rows(data, inner_folds(data, 5, 1));
  const auto times = [&](std::size_t row) { return std::ranges::count(judges, row); };
  EXPECT_EQ(times(0), 4) << "the latest";
  EXPECT_EQ(times(15), 3);
  EXPECT_EQ(times(35), 1);
  EXPECT_EQ(times(49), 0) << "the earliest is predicted from later rows alone";
}

TEST(JudgingRows, WhereEachNetworkLearnsFromThePartBeforeOnlyTheFirstPartHasNoSay) {
  DataSet data = repeated(50, 50);
  for (std::size_t i = 0; i < 50; ++i) data.times.push_back(static_cast<double>(i));
  const std::vector<std::size_t> judges = judging_rows(data, one_part_each(inner_folds(data, 5, 1)));
  EXPECT_EQ(std::ranges::count(judges, 5U), 0);
  EXPECT_EQ(std::ranges::count(judges, 15U), 4);
  EXPECT_EQ(std::ranges::count(judges, 45U), 4);
}

TEST(JudgingRows, EqualTimesAndWholeGroupsLetAllRowsJudge) {
  DataSet data = repeated(50, 50);
  data.times.assign(50, 3.0);
  EXPECT_THAT(judging_rows(data, inner_folds(data, 5, 1)), SizeIs(50));
  for (std::size_t i = 0; i < 50; ++i) {
    data.times[i] = static_cast<double>(i);
    data.groups.emplace_back(1, static_cast<char>('a' + i % 7));
  }
  EXPECT_THAT(judging_rows(data, inner_folds(data, 5, 1)), SizeIs(50));
}

}  // namespace
}  // namespace nomu
