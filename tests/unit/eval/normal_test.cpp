#include "eval/normal.hpp"

#include <gtest/gtest.h>

namespace nomu {
namespace {

TEST(Normal, KnownQuantiles) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-12);
  EXPECT_NEAR(normal_quantile(0.95), 1.644853626951473, 1e-12);
  EXPECT_NEAR(normal_quantile(0.9), 1.2815515655446004, 1e-12);
  EXPECT_NEAR(normal_quantile(0.001), -3.090232306167813, 1e-12);
  EXPECT_NEAR(normal_quantile(1e-10), -6.361340902404056, 1e-10);
  EXPECT_EQ(normal_quantile(0.5), 0.0);
}

TEST(Normal, QuantileInvertsTheDistributionFunction) {
  for (double z = -37.0; z <= 5.0; z += 0.0625) EXPECT_NEAR(normal_quantile(normal_cdf(z)), z, 1e-9) << z;
  for (double p = 1.0 / 1024; p < 0.5; p += 1.0 / 1024) {
    EXPECT_DOUBLE_EQ(normal_quantile(p), -normal_quantile(1.0 - p));
  }
}

TEST(Normal, EndsAndOutside) {
  EXPECT_EQ(normal_quantile(0.0), -HUGE_VAL);
  EXPECT_EQ(normal_quantile(1.0), HUGE_VAL);
  EXPECT_TRUE(std::isnan(normal_quantile(-0.1)));
  EXPECT_TRUE(std::isnan(normal_quantile(std::nan(""))));
}

TEST(Normal, DensityIsTheSlope) {
  for (double z = -4.0; z <= 4.0; z += 0.25) {
    EXPECT_NEAR((normal_cdf(z + 1e-5) - normal_cdf(z - 1e-5)) / 2e-5, normal_density(z), 1e-9);
  }
  EXPECT_NEAR(-std::log(normal_density(0.0)), half_log_two_pi, 1e-15);
}

}  // namespace
}  // namespace nomu
