#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "bo/space/history.hpp"

namespace nomu {
namespace {

TEST(FitSubset, KeepsTheBestTheLatestAndASpread) {
  std::vector<double> values;
  values.reserve(1000);
  for (int i = 0; i < 1000; ++i) values.push_back(std::fmod(i * 37.0, 1000.0));
  const std::vector<std::size_t> rows = fit_subset(values, Direction::minimize, 100);
  EXPECT_LE(rows.size(), 100U);
  EXPECT_GE(rows.size(), 90U);
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
  EXPECT_EQ(rows.back(), 999U);
  std::set<std::size_t> set(rows.begin(), rows.end());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_TRUE(values[i] >= 50.0 || set.contains(i));
  }
  EXPECT_EQ(fit_subset(values, Direction::minimize, 1000).size(), 1000U);
}

}  // namespace
}  // namespace nomu
