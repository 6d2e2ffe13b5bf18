#include "nomu/data/scaling.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "message_of.hpp"
#include "nomu/core/random.hpp"

namespace nomu {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Scaling, MinMaxReachesBothEnds) {
  const std::vector<double> values = {2, 10, 4, 30, 6, 20};
  const Scaling scaling = fit_scaling(values, 2, ScalingKind::min_max);
  EXPECT_THAT(scaling.shift, ElementsAre(4, 20));
  EXPECT_THAT(scaling.factor, ElementsAre(2, 10));
  EXPECT_THAT(scaling.apply(values), ElementsAre(-1, -1, 0, 1, 1, 0));
  EXPECT_THAT(scaling.invert(std::vector<double>{0.5, -2}), ElementsAre(5, 0));
}

TEST(Scaling, StandardiseUsesThePopulationDeviation) {
  const std::vector<double> values = {1, 2, 3, 4};
  const Scaling scaling = fit_scaling(values, 1, ScalingKind::standardise);
  EXPECT_DOUBLE_EQ(scaling.shift[0], 2.5);
  EXPECT_DOUBLE_EQ(scaling.factor[0], std::sqrt(1.25));
}

TEST(Scaling, IdentityAndConstantColumns) {
  const std::vector<double> values = {0.1, 5, 0.1, 7, 0.1, 9};
  EXPECT_EQ(fit_scaling(values, 2, ScalingKind::identity).apply(values), values);
  for (const ScalingKind kind : {ScalingKind::min_max, ScalingKind::standardise}) {
    const Scaling scaling = fit_scaling(values, 2, kind);
    EXPECT_EQ(scaling.factor[0], 1.0);
    EXPECT_EQ(scaling.apply(values)[2], 0.0);
    EXPECT_EQ(scaling.invert(scaling.apply(values))[2], 0.1);
  }
}

TEST(Scaling, WidthsIgnoreTheShift) {
  const Scaling scaling{.shift = {100}, .factor = {4}};
  EXPECT_THAT(scaling.invert_width(std::vector<double>{0, 0.5}), ElementsAre(0, 2));
  EXPECT_THAT(scaling.apply_width(std::vector<double>{0, 2}), ElementsAre(0, 0.5));
}

TEST(Scaling, RoundTripsAtEveryMagnitude) {
  Random random(3);
  for (const double magnitude : {1e-320, 1e-300, 1e-30, 1.0, 1e30, 1e300, 1.7e308}) {
    for (const double offset : {0.0, 1.0, 1e6}) {
      if (!std::isfinite(magnitude * (1 + offset))) continue;
      std::vector<double> values(50);
      for (double& value : values) value = magnitude * (offset + random.uniform(-1, 1));
      const double largest = std::abs(*std::ranges::max_element(values, {}, [](double v) { return std::abs(v); }));
      const double ulp = std::nextafter(largest, std::numeric_limits<double>::infinity()) - largest;
      for (const ScalingKind kind : {ScalingKind::min_max, ScalingKind::standardise}) {
        const Scaling scaling = fit_scaling(values, 1, kind);
        const std::vector<double> scaled = scaling.apply(values);
        const std::vector<double> back = scaling.invert(scaled);
        for (std::size_t i = 0; i < values.size(); ++i) {
          ASSERT_TRUE(std::isfinite(scaled[i])) << magnitude << ' ' << offset;
          ASSERT_LE(std::abs(back[i] - values[i]), 2 * ulp) << magnitude << ' ' << offset;
          if (kind == ScalingKind::min_max) {
            ASSERT_LE(std::abs(scaled[i]), 1 + 1e-3) << magnitude << ' ' << offset;
          }
        }
      }
    }
  }
}

TEST(Scaling, RobustDrawsFarValuesIn) {
  std::vector<double> values;
  for (int i = 0; i <= 100; ++i) values.push_back(i);
  values.back() = 1e9;
  const Scaling scaling = fit_scaling(values, 1, ScalingKind::robust);
  EXPECT_EQ(scaling.shift[0], 50.0);
  EXPECT_NEAR(scaling.factor[0], 50.0 / 1.349, 1e-9);
  EXPECT_GT(scaling.reach, 0.0);
  const std::vector<double> scaled = scaling.apply(values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double z = (values[i] - 50.0) / scaling.factor[0];
    EXPECT_NEAR(scaled[i], z / std::sqrt(1.0 + std::pow(z / scaling.reach, 2)), 1e-12);
    EXPECT_LT(std::abs(scaled[i]), scaling.reach);
    if (i > 0) {
      EXPECT_GT(scaled[i], scaled[i - 1]);
    }
  }
  const std::vector<double> back = scaling.invert(scaled);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_NEAR(back[i], values[i], 1e-9);
  EXPECT_NEAR(scaling.apply(std::vector<double>{50.1})[0], 0.1 / scaling.factor[0], 1e-6) << "linear in the middle";
  const double max = std::numeric_limits<double>::max();
  EXPECT_THAT(scaling.apply(std::vector<double>{max, -max}),
              ElementsAre(DoubleEq(scaling.reach), DoubleEq(-scaling.reach)));
}

TEST(Scaling, NumbersAreStraightUpToWhereTheyAreDrawnIn) {
  const Scaling scaling{.shift = {1.0}, .factor = {2.0}, .reach = 5.0, .straight = 3.0};
  const std::vector<double> values{-1e300, -200.0, -9.0, -5.0, 0.0, 1.0, 6.9, 7.0, 7.1, 40.0, 1e300};
  const std::vector<double> scaled = scaling.apply(values);
  EXPECT_EQ(scaled[3], -3.0);
  EXPECT_EQ(scaled[4], -0.5);
  EXPECT_EQ(scaled[6], (6.9 - 1.0) / 2.0);
  EXPECT_EQ(scaled[7], 3.0);
  EXPECT_NEAR(scaled[8], 3.05, 1e-4) << "without a corner";
  EXPECT_EQ(scaled.front(), -5.0);
  EXPECT_EQ(scaled.back(), 5.0);
  for (std::size_t i = 1; i < values.size(); ++i) EXPECT_GT(scaled[i], scaled[i - 1]);
  const std::vector<double> back = scaling.invert(scaled);
  for (std::size_t i = 1; i + 1 < values.size(); ++i)
    EXPECT_NEAR(back[i], values[i], 1e-9 * (1.0 + std::abs(values[i])));
}

TEST(Scaling, RobustWithoutQuartilesTakesTheRange) {
  const Scaling scaling = fit_scaling(std::vector<double>{0, 0, 0, 0, 0, 0, 8, 0}, 1, ScalingKind::robust);
  EXPECT_THAT(scaling.shift, ElementsAre(0.0));
  EXPECT_THAT(scaling.factor, ElementsAre(4.0));
  EXPECT_THAT(fit_scaling(std::vector<double>{3, 3}, 1, ScalingKind::robust).factor, ElementsAre(1.0));
}

TEST(Scaling, HugeAndTinySpreadsAreMeasuredRight) {
  for (const double magnitude : {1e-300, 1e300}) {
    const Scaling scaling =
        fit_scaling(std::vector<double>{magnitude, -magnitude, magnitude, -magnitude}, 1, ScalingKind::standardise);
    EXPECT_THAT(scaling.factor, ElementsAre(DoubleEq(magnitude)));
  }
  const double max = std::numeric_limits<double>::max();
  EXPECT_THAT(fit_scaling(std::vector<double>{max, -max}, 1, ScalingKind::min_max).factor, ElementsAre(max));
  const double least = std::numeric_limits<double>::denorm_min();
  EXPECT_GT(fit_scaling(std::vector<double>{0, least}, 1, ScalingKind::min_max).factor[0], 0.0);
  EXPECT_GT(fit_scaling(std::vector<double>{0, 0, 0, least}, 1, ScalingKind::standardise).factor[0], 0.0);
}

TEST(Scaling, RefusesWhatItCannotMap) {
  EXPECT_THAT(message_of([] { return fit_scaling({}, 1, ScalingKind::min_max); }),
              HasSubstr("no rows to learn the scaling from"));
  EXPECT_THAT(message_of([] {
                return fit_scaling(std::vector<double>{1, 2, 3}, 2, ScalingKind::min_max);
              }),
              HasSubstr("[data/scaling] 3 values do not fill rows of 2 columns"));
  EXPECT_THAT(message_of([] {
                return fit_scaling(std::vector<double>{1, 2, 3, std::nan("")}, 2, ScalingKind::min_max);
              }),
              HasSubstr("row 1, column 1 (counted from 0) is nan"));
  const Scaling two{.shift = {0, 0}, .factor = {1, 1}};
  EXPECT_THAT(message_of([&] { return two.apply(std::vector<double>{1}); }),
              HasSubstr("1 values do not fill rows of 2"));
}

TEST(Scaling, ScalesWholeDataSets) {
  DataSet data = make_dataset({0, 10, 20}, 1, {100, 200, 300});
  data.noise = {10, 20, 50};
  const DataSet scaled = scaled_dataset(data, fit_scaling(data.inputs, 1, ScalingKind::min_max),
                                        fit_scaling(data.targets, 1, ScalingKind::min_max));
  EXPECT_THAT(scaled.inputs, ElementsAre(-1, 0, 1));
  EXPECT_THAT(scaled.targets, ElementsAre(-1, 0, 1));
  EXPECT_THAT(scaled.noise, ElementsAre(0.1, 0.2, 0.5));
  const Scaling two{.shift = {0, 0}, .factor = {1, 1}};
  EXPECT_THAT(message_of([&] { return scaled_dataset(data, two, two); }),
              HasSubstr("has 1 inputs and one target, but the scalings have 2 and 2 columns"));
}

}  // namespace
}  // namespace nomu
