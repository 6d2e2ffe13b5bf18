#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "report/plot/axis.hpp"
#include "report/plot/geometry.hpp"

namespace nomu {
namespace {

using testing::ElementsAre;

std::vector<std::string> labels(AxisScale kind, double low, double high, int limit) {
  std::vector<std::string> texts;
  for (const PlotTick& tick : plot_ticks({kind, low, high}, limit)) {
    if (!tick.label.empty()) texts.push_back(tick.label);
  }
  return texts;
}

TEST(PlotTicks, StepByOneTwoOrFive) {
  EXPECT_THAT(labels(AxisScale::linear, 0, 1, 6), ElementsAre("0.0", "0.2", "0.4", "0.6", "0.8", "1.0"));
  EXPECT_THAT(labels(AxisScale::linear, 0, 0.3, 4), ElementsAre("0.0", "0.1", "0.2", "0.3"));
  EXPECT_THAT(labels(AxisScale::linear, -12, 14, 6), ElementsAre("\u221210", "\u22125", "0", "5", "10"));
  EXPECT_THAT(labels(AxisScale::linear, 0.5, 4.6, 2), ElementsAre("2", "4"));
  for (double span = 1e-300; span < 1e300; span *= 7.3) {
    for (const double low : {0.0, -0.37 * span, 12.9 * span}) {
      for (const int limit : {3, 5, 9}) {
        const PlotScale scale{AxisScale::linear, low, low + span};
        const std::vector<PlotTick> ticks = plot_ticks(scale, limit);
        ASSERT_GE(ticks.size(), 2U) << low << " " << span;
        ASSERT_LE(ticks.size(), static_cast<std::size_t>(std::max(limit, 5))) << low << " " << span;
        ASSERT_GT(scale.fraction(ticks.front().value), -1e-5);
        ASSERT_LT(scale.fraction(ticks.back().value), 1 + 1e-5);
        const double step = ticks[1].value - ticks[0].value;
        const double digits = step / std::pow(10, std::floor(std::log10(step * 1.000001)));
        ASSERT_NEAR(std::min({std::abs(digits - 1), std::abs(digits - 2), std::abs(digits - 5)}), 0, 1e-6) << step;
      }
    }
  }
}

TEST(PlotTicks, ExponentsOnlyWhereTheyHelp) {
  EXPECT_THAT(labels(AxisScale::linear, 0, 400000, 3), ElementsAre("0", "200000", "400000"));
  EXPECT_THAT(labels(AxisScale::linear, 0, 4e6, 3), ElementsAre("0", "2e6", "4e6"));
  EXPECT_THAT(labels(AxisScale::linear, -2.5e-5, 2.5e-5, 3), ElementsAre("\u22122e\u22125", "0", "2e\u22125"));
  EXPECT_THAT(labels(AxisScale::linear, 1.2e7, 1.6e7, 3), ElementsAre("1.2e7", "1.4e7", "1.6e7"));
  EXPECT_THAT(labels(AxisScale::linear, 1e9, 1e9 + 4, 3), ElementsAre("1000000000", "1000000002", "1000000004"));
}

TEST(PlotTicks, LogarithmicAxesMarkPowersOfTen) {
  EXPECT_THAT(labels(AxisScale::log10, 0.01, 1000, 8), ElementsAre("0.01", "0.1", "1", "10", "100", "1000"));
  EXPECT_THAT(labels(AxisScale::log10, 1e-9, 1e-5, 8),
              ElementsAre("10\u207b\u2079", "10\u207b\u2078", "10\u207b\u2077", "10\u207b\u2076", "10\u207b\u2075"));
  EXPECT_THAT(labels(AxisScale::log10, 1e-6, 1e6, 5),
              ElementsAre("10\u207b\u2076", "10\u207b\u00b3", "10\u2070", "10\u00b3", "10\u2076"));
  EXPECT_THAT(labels(AxisScale::log10, 1, 50, 6), ElementsAre("1", "2", "5", "10", "20", "50"));
  EXPECT_THAT(labels(AxisScale::log10, 2.1, 4.9, 6), ElementsAre("2.5", "3.0", "3.5", "4.0", "4.5"));
}

TEST(PlotScale, GivesEqualValuesRoom) {
  for (const double value : {0.0, 5.0, -5.0, 1e300, -1e300, 1e-300, 5e-324}) {
    PlotExtent extent;
    extent.add(value);
    const PlotScale scale = plot_scale(extent, AxisScale::linear, 0.04);
    EXPECT_LT(scale.low, value);
    EXPECT_GT(scale.high, value);
    EXPECT_NEAR(scale.fraction(value), 0.5, 1e-9) << value;
  }
  PlotExtent noise;
  noise.add(1.0);
  noise.add(1.0 + 1e-15);
  EXPECT_NEAR(plot_scale(noise, AxisScale::linear, 0.04).low, 0.9, 1e-9);
}

TEST(PlotGeometry, CutsToTheBox) {
  const PlotBox box{0, 0, 10, 10};
  const auto parts = clip_polyline({{-5, 5}, {5, 5}, {5, 50}, {8, 50}, {8, 5}}, box);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].front().x, 0);
  EXPECT_EQ(parts[0].back().y, 10);
  EXPECT_EQ(parts[1].front().y, 10);
  EXPECT_TRUE(clip_polyline({{-5, 0}, {0, -5}}, box).empty());
  for (const PlotPoint& p : clip_polygon({{-1e9, 5}, {5, -1e9}, {1e9, 5}, {5, 1e9}}, box)) EXPECT_TRUE(box.contains(p));
  EXPECT_TRUE(clip_polygon({{20, 20}, {30, 20}, {30, 30}}, box).empty());
  EXPECT_EQ(thin_polyline(Polyline(1000, PlotPoint{3, 4})).size(), 2U);
}

}  // namespace
}  // namespace nomu
