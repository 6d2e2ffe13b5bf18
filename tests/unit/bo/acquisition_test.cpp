#include "nomu/bo/acquisition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "message_of.hpp"

namespace nomu {
namespace {

/// phi(z) + z Phi(z) by Simpson's rule: the integral of Phi from far left to z.
double improvement_by_quadrature(double z) {
  constexpr int steps = 40000;
  const double low = z - 12.0;
  const double h = (z - low) / steps;
  const auto cdf = [](double t) { return 0.5 * std::erfc(-t / std::sqrt(2.0)); };
  double sum = cdf(low) + cdf(z);
  for (int i = 1; i < steps; ++i) sum += (i % 2 == 1 ? 4.0 : 2.0) * cdf(low + i * h);
  return sum * h / 3.0;
}

TEST(Acquisition, LogImprovementMatchesQuadrature) {
  for (const double z : {-25.0, -10.0, -5.0, -1.5, -1.0, -0.9, 0.0, 0.5, 2.0}) {
    EXPECT_NEAR(log_improvement(z), std::log(improvement_by_quadrature(z)), 1e-7) << z;
  }
  for (const double z : {8.0, 30.0}) EXPECT_NEAR(log_improvement(z), std::log(z), 1e-12);
}

TEST(Acquisition, LogImprovementIsSmoothAcrossItsBranchesAndFarOut) {
  for (const double z : {-1.0, -20.0}) {
    EXPECT_NEAR(log_improvement(z - 1e-9), log_improvement(z + 1e-9), 1e-6 * std::abs(log_improvement(z)));
  }
  EXPECT_NEAR(log_improvement(-19.999999999) - log_improvement(-20.000000001), 2e-9 * 20.0995, 1e-10);
  for (const double z : {-1e3, -1e6, -1e150}) {
    EXPECT_TRUE(std::isfinite(log_improvement(z))) << z;
    EXPECT_GT(log_improvement(z / 2), log_improvement(z));
  }
}

TEST(Acquisition, KindsAreWhatTheySay) {
  EXPECT_DOUBLE_EQ(acquisition(AcquisitionKind::upper_bound, 1.0, 0.5, 2.0, 9.0), 2.0);
  EXPECT_DOUBLE_EQ(acquisition(AcquisitionKind::mean, 1.0, 0.5, 2.0, 9.0), 1.0);
  EXPECT_DOUBLE_EQ(acquisition(AcquisitionKind::sigma, 1.0, 0.5, 2.0, 9.0), 0.5);
  // At the best value so far the improvement of a normal is sigma / sqrt(2 pi).
  EXPECT_NEAR(acquisition(AcquisitionKind::expected_improvement, 1.0, 0.5, 2.0, 1.0), 0.3989422804014327, 1e-12);
  EXPECT_NEAR(acquisition(AcquisitionKind::log_expected_improvement, 1.0, 0.5, 2.0, 1.0), std::log(0.3989422804014327),
              1e-12);
  // No sigma: what is certain.
  EXPECT_NEAR(acquisition(AcquisitionKind::expected_improvement, 1.25, 0.0, 1.0, 1.0), 0.25, 1e-12);
  EXPECT_EQ(acquisition(AcquisitionKind::expected_improvement, 0.0, 0.0, 1.0, 1.0), 0.0);
}

TEST(Acquisition, MeanWidthIsMet) {
  const std::vector<float> sigmas{0.1F, 0.3F};
  EXPECT_NEAR(mean_width_c(sigmas, 0.5), 0.5 / (2 * 0.2), 1e-6);
  EXPECT_THAT(message_of([] { return mean_width_c({}, 0.5); }), testing::HasSubstr("no sigma is positive"));
}

TEST(Acquisition, DynamicCFollowsThePaperOrThePublishedRuns) {
  const DynamicC written;
  const DynamicC published = DynamicC::as_published();
  EXPECT_DOUBLE_EQ(published.delta(0, 64), 1.0 / 16.0);
  EXPECT_NEAR(published.delta(32, 64), std::sqrt(0.01 / 16.0), 1e-12);
  EXPECT_NEAR(written.delta(63, 64), 0.01, 1e-12);
  EXPECT_DOUBLE_EQ(written.delta(200, 64), 0.01);
  EXPECT_EQ(written.doublings, 15);
  EXPECT_EQ(published.doublings, 16);
  const std::vector<double> known{0.0, 0.0, 1.0, 1.0};
  const std::vector<double> x{0.0, 0.5};
  EXPECT_TRUE(written.too_close(x, known, 0.5));
  EXPECT_FALSE(published.too_close(x, known, 0.5));
  EXPECT_FALSE(written.too_close(x, {}, 0.5));
}

TEST(Acquisition, MoreDoublingsThanANumberHoldsAreRefused) {
  DynamicC spec;
  EXPECT_THAT(message_of<ConfigError>([&] { fields_of(spec).set_text("doublings", "9223372036854775807"); }),
              testing::HasSubstr("doublings"));
  fields_of(spec).set_text("doublings", "1000");
  EXPECT_EQ(spec.doublings, 1000);
}

}  // namespace
}  // namespace nomu
