#include "nomu/models/nomu.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "message_of.hpp"
#include "models/network/train.hpp"
#include "nomu/core/error.hpp"
#include "nomu/models/method.hpp"
#include "unit/models/small_problems.hpp"

namespace nomu {
namespace {

TEST(Readout, FollowsThePaper) {
  const Readout exponential;
  EXPECT_NEAR(exponential(-5.0), 2.0 * (1.0 - std::exp(-0.0005)), 1e-15);
  EXPECT_NEAR(exponential(1.0), 2.0 * (1.0 - std::exp(-1.001 / 2.0)), 1e-15);
  EXPECT_NEAR(exponential(1e9), 2.0, 1e-12);
  const Readout linear{.kind = Readout::Kind::linearised, .sigma_min = 0.1, .sigma_max = 1.5};
  EXPECT_DOUBLE_EQ(linear(-1.0), 0.1);
  EXPECT_DOUBLE_EQ(linear(0.7), 0.7);
  EXPECT_DOUBLE_EQ(linear(9.0), 1.5);
  EXPECT_DOUBLE_EQ((Readout{.kind = Readout::Kind::identity})(-2.0), 0.0);
}

TEST(NomuSpec, PresetsAreThePapersTwo) {
  const NomuSpec published = NomuSpec::published(1);
  EXPECT_EQ(published.gradient, Gradient::coupled);
  EXPECT_EQ(published.augment.kind, Augmentation::Kind::grid);
  EXPECT_EQ(published.augment.reach, 1.1);
  EXPECT_EQ(published.train.clip_norm, 1000.0);
  EXPECT_EQ(published.train.snapshot, Snapshot::after_update);
  EXPECT_EQ(NomuSpec::published(2).augment.count, 256);
  EXPECT_EQ(NomuSpec::published(5).augment.count, 500);
  const NomuSpec written = NomuSpec::written(1);
  EXPECT_EQ(written.gradient, Gradient::stopped);
  EXPECT_EQ(written.augment.reach, 1.0);
  EXPECT_EQ(written.train.clip_norm, 0.0);
}

TEST(NomuSpec, FieldsNameEverySetting) {
  NomuSpec spec;
  const Fields fields = fields_of(spec);
  fields.set_text("mu_exp", "0.05");
  fields.set_text("sigma_net.hidden", "32,32");
  fields.set_text("train.epochs", "12");
  fields.set_text("augment.kind", "low_discrepancy");
  EXPECT_EQ(spec.mu_exp, 0.05);
  EXPECT_EQ(spec.sigma_net.hidden, (std::vector<std::int64_t>{32, 32}));
  EXPECT_EQ(spec.train.epochs, 12);
  EXPECT_EQ(spec.augment.kind, Augmentation::Kind::low_discrepancy);
  EXPECT_EQ(message_of<ConfigError>([&] { fields.set_text("augment.count", "-3"); }),
            "[models/nomu] augment.count must be between 0 and 1000000000, got -3");
}

TEST(Nomu, FitsThePointsAndIsUnsureElsewhere) {
  const auto engine = make_engine({.device = "cpu"});
  const auto fitted = fit(small_nomu(), line_of_points({1, 2, 3}), *engine);
  Tensor<float> probes(1, 6, 1);
  const float places[] = {-0.8F, -0.3F, 0.1F, 0.7F, -1.0F, 0.4F};
  for (std::size_t i = 0; i < 6; ++i) probes(0, i, 0) = places[i];
  const Prediction prediction = fitted->predict(probes);
  ASSERT_EQ(prediction.mean.members(), 3U);
  for (std::size_t m = 0; m < 3; ++m) {
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(prediction.mean(m, i, 0), std::sin(3.0F * places[i]), 0.05F);
      EXPECT_LT(prediction.sigma_model(m, i, 0), 0.5F * prediction.sigma_model(m, 5, 0))
          << "member " << m << " point " << i;
    }
    EXPECT_FALSE(fitted->reports()[m].diverged);
    EXPECT_EQ(fitted->reports()[m].history.size(), 1000U);
  }
}

TEST(Nomu, ComesBackFromItsState) {
  NomuSpec spec = small_nomu();
  spec.train.epochs = 20;
  const auto engine = make_engine({});
  const auto fitted = fit(MethodSpec{spec}, line_of_points({1, 2}), *engine);
  const Tensor<float> x(1, 3, 1, 0.4F);
  const auto again = restore(MethodSpec{spec}, fitted->state(), fitted->reports(), *engine);
  EXPECT_EQ(again->predict(x).mean, fitted->predict(x).mean);
  EXPECT_EQ(again->predict(x).sigma_model, fitted->predict(x).sigma_model);
  EXPECT_EQ(again->raw_sigma(x), fitted->raw_sigma(x));

  spec.sigma_net.hidden = {8};
  EXPECT_THAT(message_of<DataError>(
                  [&] { static_cast<void>(restore(MethodSpec{spec}, fitted->state(), fitted->reports(), *engine)); }),
              testing::HasSubstr("block 'parameters' has"));
}

TEST(Method, IsFoundByName) {
  EXPECT_EQ(method_name(method_named("nomu")), "nomu");
  EXPECT_THAT(message_of<ConfigError>([] { static_cast<void>(method_named("nomo")); }), testing::HasSubstr("'nomu'"));
}

TEST(Nomu, ReportsProgressAndStopsOnRequest) {
  const auto engine = make_engine({.device = "cpu"});
  std::stop_source source;
  std::int64_t last = 0;
  Progress progress;
  progress.stop = source.get_token();
  progress.report = [&](const ProgressEvent& event) {
    EXPECT_EQ(event.stage, "train");
    EXPECT_GT(event.done, last);
    last = event.done;
    if (event.done >= 3) source.request_stop();
  };
  NomuSpec spec = small_nomu();
  spec.train.epochs = 1000000;
  EXPECT_THROW((void)fit(spec, line_of_points({1}), *engine, progress), Cancelled);
  EXPECT_GE(last, 3);
}

TEST(Nomu, ADivergedMemberIsTrainedAgainAndReported) {
  NomuSpec spec = small_nomu();
  spec.train.learning_rate = 1e20;  // nothing survives this
  spec.train.epochs = 20;
  spec.train.restarts = 2;
  const auto engine = make_engine({.device = "cpu"});
  const auto fitted = fit(spec, line_of_points({1, 2}), *engine);
  for (const FitReport& report : fitted->reports()) {
    EXPECT_TRUE(report.diverged);
    EXPECT_EQ(report.restarts, 2);
    EXPECT_GT(report.seed, 2U) << "the seed it ended with is on record";
  }
}

TEST(Nomu, ImpossibleSettingsAreRefused) {
  const auto engine = make_engine({.device = "cpu"});
  const auto refusal = [&](const std::function<void(NomuSpec&)>& change) {
    NomuSpec spec = small_nomu();
    change(spec);
    return message_of<ConfigError>([&] { (void)fit(spec, line_of_points({1}), *engine); });
  };
  EXPECT_NE(refusal([](NomuSpec& s) { s.mean_net.hidden = {-4}; }).find("at least one unit, got -4"),
            std::string::npos);
  EXPECT_NE(refusal([](NomuSpec& s) { s.augment.count = -1; }).find("augment.count must be positive, got -1"),
            std::string::npos);
  EXPECT_NE(refusal([](NomuSpec& s) { s.train.epochs = -1; }).find("epochs must be positive"), std::string::npos);
  EXPECT_NE(refusal([](NomuSpec& s) { s.ensemble = 0; }).find("ensemble must be positive, got 0"), std::string::npos);
}

TEST(Nomu, AGridNeedsAPowerOfTheDimension) {
  NomuSpec spec = small_nomu();
  spec.augment.kind = Augmentation::Kind::grid;
  spec.augment.count = 100;
  spec.train.epochs = 2;
  const auto engine = make_engine({.device = "cpu"});
  const std::vector<double> x{0.0, 0.1, 0.5, 0.5, -0.5, 0.9, -0.2, 0.3};
  const std::vector<double> y{1.0, 2.0, 0.5, 0.1};
  const std::vector<std::uint64_t> seeds{1};
  EXPECT_NO_THROW((void)fit(spec, repeat(make_dataset(x, 2, y), seeds), *engine));
  spec.augment.count = 99;
  EXPECT_NE(
      message_of<ConfigError>([&] { (void)fit(spec, repeat(make_dataset(x, 2, y), seeds), *engine); }).find("use 100"),
      std::string::npos);
}

}  // namespace
}  // namespace nomu
