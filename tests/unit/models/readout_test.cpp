#include "nomu/models/readout.hpp"

#include <gtest/gtest.h>

#include <cmath>

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
  Made rows = made_with(truth, 1.0, 400);
  Random random(4);
  const std::vector<double> noise(rows.raw.size(), 0.4);
  for (double& target : rows.targets) target += 0.8 * random.normal();
  const ReadoutFit fit = fit_readout(Readout::Kind::exponential,
                                     {.raw = rows.raw, .mean = rows.mean, .targets = rows.targets, .noise = noise});
  EXPECT_NEAR(fit.calibration.c_noise, 2.0, 0.4);
  EXPECT_NEAR(fit.calibration.c_model * fit.readout(3.0), truth(3.0), 0.25);
}

TEST(FitReadout, TheIdentityOnlyGetsAFactor) {
  const std::vector<double> raw{1.0, 2.0};
  const std::vector<double> mean{0.0, 0.0};
  const std::vector<double> targets{3.0, -6.0};
  const ReadoutFit fit = fit_readout(Readout::Kind::identity, {.raw = raw, .mean = mean, .targets = targets});
  EXPECT_DOUBLE_EQ(fit.calibration.c_model, 3.0);
}

}  // namespace
}  // namespace nomu
