// How far bounds go at rows with numbers beyond those of the training rows.

#include "models/inputs/beyond_range.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "nomu/core/random.hpp"
#include "nomu/data/table_io.hpp"
#include "nomu/models/request.hpp"

namespace nomu {
namespace {

/// y = 3 a - b + noise, and c, which does nothing.
std::string linear_rows(std::size_t rows, std::uint64_t seed) {
  Random random(seed);
  std::string text = "a,b,c,y\n";
  for (std::size_t i = 0; i < rows; ++i) {
    const double a = random.normal();
    const double b = random.normal();
    const double c = random.normal();
    const double y = 3.0 * a - b + 0.3 * random.normal();
    text += std::to_string(a) + "," + std::to_string(b) + "," + std::to_string(c) + "," + std::to_string(y) + "\n";
  }
  return text;
}

const Model& fitted_to_a_line() {
  static const Model model = fit({.target = "y", .level = 0.9}, parse_table(linear_rows(300, 1), "train.csv"));
  return model;
}

PredictedRows predicted(const std::string& rows) {
  return fitted_to_a_line().predict(parse_table("a,b,c\n" + rows, "rows.csv"));
}

TEST(FarNumbers, SigmaGrowsWithTheDistance) {
  const PredictedRows rows = predicted("0,0,0\n5,0,0\n8,0,0\n30,0,0\n-5,0,0\n-8,0,0\n-30,0,0\n");
  for (const std::size_t side : {1, 4}) {
    EXPECT_GT(rows.sigma_model[side], rows.sigma_model[0]);
    EXPECT_GT(rows.sigma_model[side + 1], rows.sigma_model[side]);
    EXPECT_GT(rows.sigma_model[side + 2], rows.sigma_model[side + 1]);
  }
}

TEST(FarNumbers, BoundsContainALineThatGoesOn) {
  const Bounds band =
      fitted_to_a_line().bounds(parse_table("a,b,c\n6,0,0\n-6,0,0\n0,8,0\n0,-8,0\n5,5,5\n", "rows.csv"), 0.9);
  const std::vector<double> truth{18.0, -18.0, -8.0, 8.0, 10.0};
  for (std::size_t i = 0; i < truth.size(); ++i) {
    EXPECT_LE(band.lower[i], truth[i]) << i;
    EXPECT_GE(band.upper[i], truth[i]) << i;
  }
}

TEST(FarNumbers, SigmaIsLimitedHoweverFar) {
  const PredictedRows rows = predicted("1e3,0,0\n1e9,0,0\n-1e30,1e30,1e30\n");
  for (const double sigma : rows.sigma_model) {
    EXPECT_GT(sigma, 5.0);
    EXPECT_LT(sigma, 100.0);
  }
}

TEST(BeyondRange, NothingIsAddedWithinTheRange) {
  const BeyondRange range{
      .low = {-1.0, 0.0}, .high = {1.0, 2.0}, .slope = {1.0, 0.0}, .bend = {3.0, 0.0}, .drawn = {}, .most = 50.0};
  EXPECT_EQ(range.deviation<double>(std::vector{1.0, 5.0}), 0.0);
  EXPECT_EQ(range.deviation<double>(std::vector{-1.0, 0.0}), 0.0);
  EXPECT_DOUBLE_EQ(range.deviation<double>(std::vector{-3.0, 1.0}), 6.0);
  EXPECT_DOUBLE_EQ(range.deviation<double>(std::vector{500.0, 1.0}), 50.0);
}

TEST(BeyondRange, DistancesAreThoseBeforeNumbersAreDrawnIn) {
  const DrawnIn drawn{.reach = 5.0, .straight = 3.0};
  const BeyondRange range{.low = {-4.0}, .high = {4.0}, .slope = {0.0}, .bend = {0.5}, .drawn = drawn, .most = 1000.0};
  for (const double number : {3.0, 4.0, 6.0, 40.0, -60.0}) {
    const double beyond = std::max(std::abs(number) - 4.0, 0.0);
    EXPECT_NEAR(range.deviation<double>(std::vector{drawn.in(number)}), 0.5 * beyond, 1e-6 * beyond);
  }
}

TEST(BeyondRange, ALineIsMissedByWhatIsDrawnIn) {
  const DrawnIn drawn{.reach = 5.0, .straight = 3.0};
  const BeyondRange range{.low = {-2.0}, .high = {2.0}, .slope = {0.5}, .bend = {0.0}, .drawn = drawn, .most = 1000.0};
  EXPECT_EQ(range.deviation<double>(std::vector{2.9}), 0.0);
  for (const double number : {4.0, 40.0, -60.0}) {
    const double missed = std::abs(number - drawn.in(number));
    EXPECT_NEAR(range.deviation<double>(std::vector{drawn.in(number)}), 0.5 * missed, 1e-6 * missed);
  }
}

TEST(BeyondRange, IsTheSameFromItsNumbers) {
  const BeyondRange range{.low = {-1.0, 0.0},
                          .high = {1.0, 2.0},
                          .slope = {3.0, 0.5},
                          .bend = {1.5, 0.0},
                          .drawn = {.reach = 3.0, .straight = 0.5},
                          .most = 4.0};
  const std::vector<float> numbers = range.numbers();
  EXPECT_TRUE(is_beyond_range(numbers));
  const BeyondRange again = BeyondRange::of(numbers);
  EXPECT_EQ(again.low, range.low);
  EXPECT_EQ(again.high, range.high);
  EXPECT_EQ(again.slope, range.slope);
  EXPECT_EQ(again.bend, range.bend);
  EXPECT_EQ(again.drawn.straight, range.drawn.straight);
  EXPECT_EQ(again.most, range.most);
}

TEST(BeyondRange, NumbersThatNoFitMakesAreRefused) {
  const BeyondRange right{
      .low = {0.0}, .high = {1.0}, .slope = {1.0}, .bend = {1.0}, .drawn = {.reach = 3.0}, .most = 4.0};
  for (const auto& change : std::vector<void (*)(BeyondRange&)>{
           [](BeyondRange& r) { r.low = {2.0}; }, [](BeyondRange& r) { r.slope = {-1.0}; },
           [](BeyondRange& r) { r.bend = {-1.0}; }, [](BeyondRange& r) { r.most = -1.0; },
           [](BeyondRange& r) { r.high = {std::nan("")}; }, [](BeyondRange& r) { r.drawn.straight = 4.0; },
           [](BeyondRange& r) { r.drawn.reach = -1.0; }}) {
    BeyondRange wrong = right;
    change(wrong);
    EXPECT_FALSE(is_beyond_range(wrong.numbers()));
  }
  EXPECT_TRUE(is_beyond_range(right.numbers()));
}

}  // namespace
}  // namespace nomu
