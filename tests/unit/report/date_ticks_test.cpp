#include "report/plot/date_ticks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace nomu {
namespace {

using testing::ElementsAre;

std::vector<std::string> labels_between(double low, double high, int limit) {
  std::vector<std::string> labels;
  for (const PlotTick& tick : date_ticks({AxisScale::linear, low, high}, limit)) labels.push_back(tick.label);
  return labels;
}

TEST(DateTicks, AreAsFineAsTheyFit) {
  constexpr double day = 19860.0;  // 2024-05-17
  EXPECT_THAT(labels_between(day - 0.1, day + 2.1, 4), ElementsAre("2024-05-17", "2024-05-18", "2024-05-19"));
  EXPECT_THAT(labels_between(day - 0.01, day + 0.6, 3), ElementsAre("05-17 00:00", "05-17 06:00", "05-17 12:00"));
  EXPECT_THAT(labels_between(day, day + 100.0, 5), ElementsAre("2024-06", "2024-07", "2024-08"));
  EXPECT_THAT(labels_between(day, day + 1100.0, 4), ElementsAre("2025", "2026", "2027"));
}

TEST(DateTicks, StandOnTheFirstOfTheirMonth) {
  for (const PlotTick& tick : date_ticks({AxisScale::linear, 19800.0, 19950.0}, 8)) {
    EXPECT_GE(tick.value, 19800.0);
    EXPECT_LE(tick.value, 19950.0);
    EXPECT_EQ(tick.label.substr(0, 5), "2024-");
  }
}

TEST(DateTicks, WorkBefore1970) { EXPECT_THAT(labels_between(-1000.0, -10.0, 4), ElementsAre("1968", "1969")); }

TEST(DateTicks, NeverExceedTheLimit) {
  for (const double days : {0.01, 0.3, 2.0, 20.0, 200.0, 2e3, 2e4, 2e5, 9e5}) {
    for (const int limit : {2, 3, 5, 8, 12})
      EXPECT_LE(labels_between(3.3, 3.3 + days, limit).size(), static_cast<std::size_t>(limit)) << days;
  }
}

TEST(DateTicks, NoCalendarReachesThatFar) { EXPECT_TRUE(labels_between(0.0, 1e9, 5).empty()); }

}  // namespace
}  // namespace nomu
