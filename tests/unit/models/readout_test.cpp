#include "nomu/models/readout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "message_of.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/random.hpp"

namespace nomu {
namespace {

/// Rows whose errors really have the deviation `scale` times the readout of the raw values.
struct Made {
  std::vector<double> raw, mean, targets;
};

Made made_with(const Readout& readout, double scale, int count) {
  Random random(3);
  Made rows;
  for (int i = 0; i < count; ++i) {
    rows.raw.push_back(random.uniform(-0.5, 4.0));
    rows.mean.push_back(random.normal());
    rows.targets.push_back(rows.mean.back() + scale * readout(rows.raw.back()) * random.normal());
  }
  return rows;
}

TEST(FitReadout, FindsTheLimitsTheErrorsHave) {
  for (const Readout::Kind kind : {Readout::Kind::exponential, Readout::Kind::linearised}) {
    const Readout truth{.kind = kind, .sigma_min = 0.1, .sigma_max = 1.6};
    const Made rows = made_with(truth, 0.5, 4000);
    const ReadoutFit fit = fit_readout(kind, {.raw = rows.raw, .mean = rows.mean, .targets = rows.targets});
    EXPECT_EQ(fit.readout.kind, kind);
    EXPECT_NEAR(std::log(fit.readout.sigma_min / 0.1), 0.0, 0.25);
    EXPECT_NEAR(std::log(fit.readout.sigma_max / 1.6), 0.0, 0.25);
    EXPECT_NEAR(fit.calibration.c_model, 0.5, 0.1);
    EXPECT_EQ(fit.calibration.c_model, fit.calibration.c_noise);
  }
}

TEST(FitReadout, WithNoiseBothFactorsAreFree) {
  const Readout truth{.sigma_min = 0.05, .sigma_max = 2.0};
  Made rows = made_with(truth, 1.0, 2000);
  Random random(4);
  const std::vector<double> noise(rows.raw.size(), 0.4);
  for (double& target : rows.targets) target += 0.8 * random.normal();
  for (const Readout::Kind kind : {Readout::Kind::exponential, Readout::Kind::network}) {
    const ReadoutFit fit =
        fit_readout(kind, {.raw = rows.raw, .mean = rows.mean, .targets = rows.targets, .noise = noise});
    EXPECT_NEAR(fit.calibration.c_noise, 2.0, 0.4);
    EXPECT_NEAR(fit.calibration.c_model * fit.readout(3.0), truth(3.0), 0.25);
  }
}

TEST(FitReadout, TheIdentityOnlyGetsAFactor) {
  const std::vector<double> raw{1.0, 2.0};
  const std::vector<double> mean{0.0, 0.0};
  const std::vector<double> targets{3.0, -6.0};
  const ReadoutFit fit = fit_readout(Readout::Kind::identity, {.raw = raw, .mean = mean, .targets = targets});
  EXPECT_DOUBLE_EQ(fit.calibration.c_model, 3.0);
}

TEST(FitReadout, ANetworkLearnsAMapThatNoPairOfLimitsHas) {
  // Errors rise in two steps, far apart.
  const Readout truth{
      .kind = Readout::Kind::network, .sigma_min = 0.05, .sigma_max = 1.0, .weights = {0.2, 20.0, 2.0, 0.5}};
  const Made rows = made_with(truth, 1.0, 4000);
  const ReadoutRows given{.raw = rows.raw, .mean = rows.mean, .targets = rows.targets};
  const ReadoutFit learned = fit_readout(Readout::Kind::network, given);
  EXPECT_EQ(learned.readout.kind, Readout::Kind::network);
  EXPECT_NEAR(learned.calibration.c_model, 1.0, 0.02) << "the scale is learned, too";
  for (const double raw : {-1.0, 0.0, 0.5, 1.0, 2.0, 3.5})
    EXPECT_NEAR(learned.calibration.c_model * learned.readout(raw) / truth(raw), 1.0, 0.12) << raw;
  EXPECT_LT(learned.nll, fit_readout(Readout::Kind::exponential, given).nll);
  EXPECT_LT(learned.nll, fit_readout(Readout::Kind::linearised, given).nll);
  // It rises everywhere, and its slope is that of its values.
  for (double raw = -0.5; raw < 6.0; raw += 0.1) {
    EXPECT_GE(learned.readout(raw + 0.1), learned.readout(raw));
    const double measured = (learned.readout(raw + 1e-6) - learned.readout(raw - 1e-6)) / 2e-6;
    if (std::abs(raw) > 1e-3) {
      EXPECT_NEAR(slope_of(learned.readout, raw), measured, 1e-4 * (1.0 + measured)) << raw;
    }
  }
}

TEST(Readout, WeightsBelongToANetwork) {
  EXPECT_THAT(
      message_of<ConfigError>([] { check(Readout{.kind = Readout::Kind::network}); }),
      testing::HasSubstr("readout.kind = network needs readout.weights, the height and the slope of each unit"));
  EXPECT_THAT(message_of<ConfigError>([] {
                check(Readout{.weights = {1.0, 2.0}});
              }),
              testing::HasSubstr("only readout.kind = network has weights"));
  const std::vector<double> same{1.0, 1.0};
  EXPECT_THAT(message_of<DataError>(
                  [&] { (void)fit_readout(Readout::Kind::network, {.raw = same, .mean = same, .targets = same}); }),
              testing::HasSubstr("every target is exactly at its mean"));
}

}  // namespace
}  // namespace nomu
