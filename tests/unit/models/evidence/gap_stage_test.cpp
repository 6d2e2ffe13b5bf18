// Regions that networks do not see on purpose.

#include "models/evidence/gap_stage.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "nomu/core/random.hpp"

namespace nomu {
namespace {

DataSet rows_on_a_line(std::size_t count) {
  Random random(2);
  std::vector<double> x;
  for (std::size_t i = 0; i < count; ++i) x.push_back(random.uniform(-1.0, 1.0));
  return make_dataset(x, 1, std::vector(count, 0.0));
}

std::vector<std::size_t> inside(const MadeGaps& made, std::size_t gap) {
  std::vector<std::size_t> rows;
  std::ranges::set_difference(made.folds[gap].test, made.usual[gap], std::back_inserter(rows));
  return rows;
}

TEST(MadeGaps, NoRowIsTestedTwiceAndEveryNetworkLearnsTheRest) {
  const DataSet data = rows_on_a_line(200);
  const MadeGaps made = made_gaps(data, 3, 7);
  std::vector<int> tested(data.rows(), 0);
  for (const Split& split : made.folds) {
    EXPECT_EQ(split.train.size() + split.test.size(), data.rows());
    for (const std::size_t i : split.test) ++tested[i];
  }
  EXPECT_LE(std::ranges::max(tested), 1);
}

TEST(MadeGaps, FirstGapIsOneStretch) {
  const DataSet data = rows_on_a_line(200);
  const MadeGaps made = made_gaps(data, 3, 7);
  const std::vector<std::size_t> gap = inside(made, 0);
  EXPECT_EQ(gap.size(), 40U);
  double low = 1.0;
  double high = -1.0;
  for (const std::size_t i : gap) {
    low = std::min(low, data.inputs[i]);
    high = std::max(high, data.inputs[i]);
  }
  for (const std::size_t i : made.folds[0].train) EXPECT_FALSE(data.inputs[i] > low && data.inputs[i] < high);
}

TEST(MadeGaps, RowsWithEqualInputsStayTogether) {
  std::vector<double> x(60);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 12);
  const DataSet data = make_dataset(x, 1, std::vector(60, 0.0));
  for (const Split& split : made_gaps(data, 3, 1).folds) {
    for (const std::size_t i : split.test) {
      for (const std::size_t k : split.train) EXPECT_NE(data.inputs[i], data.inputs[k]);
    }
  }
}

TEST(MadeGaps, HardlyAnyDistinctInputsHaveNone) {
  std::vector<double> x(60, 0.0);
  x[0] = 1.0;
  const MadeGaps made = made_gaps(make_dataset(x, 1, x), 3, 1);
  ASSERT_EQ(made.folds.size(), 3U);
  for (std::size_t g = 0; g < 3; ++g) {
    EXPECT_FALSE(made.folds[g].train.empty());
    EXPECT_TRUE(inside(made, g).empty());
  }
}

}  // namespace
}  // namespace nomu
