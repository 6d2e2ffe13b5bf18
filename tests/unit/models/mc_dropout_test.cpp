#include "nomu/models/mc_dropout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "message_of.hpp"
#include "models/network/fitted_network.hpp"
#include "nomu/core/error.hpp"
#include "nomu/models/fitted.hpp"
#include "nomu/models/method.hpp"
#include "unit/models/small_problems.hpp"

namespace nomu {
namespace {

McDropoutSpec small_spec() {
  McDropoutSpec spec;
  spec.net = small_net();
  spec.net.hidden = {64};
  spec.train = {.epochs = 400, .learning_rate = 1e-2, .snapshot = Snapshot::none};
  spec.l2 = 1e-8;
  spec.dropout = 0.2;
  return spec;
}

TEST(McDropout, SpreadsEverywhereAndFollowsTheData) {
  const auto engine = make_engine({.device = "cpu"});
  const std::vector<std::uint64_t> seeds{1, 2};
  const Cohort cohort = repeat(sine_rows(8), seeds);
  const auto fitted = fit(small_spec(), cohort, *engine);
  const Prediction at = fitted->predict(cohort.x);
  for (std::size_t m = 0; m < 2; ++m) {
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_NEAR(at.mean(m, i, 0), cohort.y(m, i, 0), 0.35F);
      EXPECT_GT(at.sigma_model(m, i, 0), 0.0F) << "it does not narrow to nothing at the data";
    }
  }
  EXPECT_EQ(fitted->predict(cohort.x).mean, fitted->predict(cohort.x).mean) << "masks follow from the seed";
}

TEST(McDropout, MorePassesGiveTheSameMoments) {
  const auto engine = make_engine({.device = "cpu"});
  const std::vector<std::uint64_t> seeds{3};
  McDropoutSpec spec = small_spec();
  const Cohort cohort = repeat(sine_rows(8), seeds);
  const auto few = fit(spec, cohort, *engine);
  spec.passes = 2000;
  const auto many = fit(spec, cohort, *engine);
  const Tensor<float> x = points({0.2F});
  const float spread = many->predict(x).sigma_model(0, 0, 0);
  EXPECT_NEAR(few->predict(x).mean(0, 0, 0), many->predict(x).mean(0, 0, 0), 0.5F * spread);
  EXPECT_NEAR(few->predict(x).sigma_model(0, 0, 0) / spread, 1.0F, 0.3F);
}

TEST(McDropout, MembersStayApartAndComeBack) {
  McDropoutSpec spec = small_spec();
  spec.passes = 3;
  spec.train.epochs = 10;
  expect_members_apart_and_state(spec);
  spec.learn_noise = true;
  expect_members_apart_and_state(spec);
  spec.noise_head = true;
  expect_members_apart_and_state(spec);
}

TEST(McDropout, FixedMasksMakeARowIndependentOfItsPlace) {
  const auto engine = make_engine({.device = "cpu"});
  const std::vector<std::uint64_t> seeds{3, 4};
  McDropoutSpec spec = small_spec();
  spec.learn_noise = true;
  const std::shared_ptr<const FittedCohort> fitted = fit(spec, repeat(sine_rows(8), seeds), *engine);
  const std::shared_ptr<const FittedCohort> fixed = row_by_row(fitted);
  const Prediction many = fixed->predict(points({-0.7F, 0.2F, 0.9F}));
  const Prediction one = fixed->predict(points({0.2F}));
  const Prediction plain = fitted->predict(points({0.2F}));
  for (std::size_t m = 0; m < 2; ++m) {
    EXPECT_EQ(many.mean(m, 1, 0), one.mean(m, 0, 0));
    EXPECT_EQ(many.sigma_model(m, 1, 0), one.sigma_model(m, 0, 0));
    EXPECT_NEAR(plain.mean(m, 0, 0), one.mean(m, 0, 0), 1e-5F) << "a row alone has the same masks either way";
    EXPECT_NEAR(plain.sigma_model(m, 0, 0), one.sigma_model(m, 0, 0), 1e-5F);
    EXPECT_EQ(plain.sigma_noise(m, 0, 0), one.sigma_noise(m, 0, 0));
  }
  EXPECT_EQ(fixed->state(), fitted->state());
}

TEST(McDropout, OneNoiseIsWhatTheNetworkMissesItsRowsBy) {
  McDropoutSpec spec = small_spec();
  spec.dropout = 0.02;
  spec.passes = 2;
  spec.learn_noise = true;
  const std::vector<std::uint64_t> seeds{1, 2};
  const auto engine = make_engine({.device = "cpu"});
  const auto fitted = fit(spec, repeat(sine_rows(60, 0.3), seeds), *engine);
  const Prediction prediction = fitted->predict(points({-0.5F, 0.5F}));
  for (std::size_t m = 0; m < 2; ++m) {
    EXPECT_NEAR(prediction.sigma_noise(m, 0, 0), 0.3F, 0.1F);
    EXPECT_EQ(prediction.sigma_noise(m, 0, 0), prediction.sigma_noise(m, 1, 0));
  }
  EXPECT_NE(prediction.sigma_noise(0, 0, 0), prediction.sigma_noise(1, 0, 0));
}

TEST(McDropout, TheRestIsChosenFromTheRows) {
  const McDropoutSpec spec = resolved(McDropoutSpec{}, 1000, 3);
  EXPECT_EQ(spec.net.hidden, (std::vector<std::int64_t>{64, 64}));
  EXPECT_EQ(spec.train.epochs, 375) << "3000 steps of 128 rows";
  EXPECT_GT(spec.dropout, 0.0);
  EXPECT_GE(spec.l2, 0.0);
}

TEST(McDropout, PresetIsThePapers) {
  const McDropoutSpec spec = McDropoutSpec::published();
  EXPECT_EQ(spec.net.hidden, (std::vector<std::int64_t>{1024, 2048, 1024}));
  EXPECT_EQ(spec.dropout, 0.2);
  EXPECT_EQ(spec.passes, 100);
  EXPECT_EQ(spec.train.clip_norm, 1000.0);
  EXPECT_EQ(spec.train.snapshot, Snapshot::none);
}

TEST(McDropout, EveryLayerMayHaveItsOwnShare) {
  const auto engine = make_engine({.device = "cpu"});
  const std::vector<std::uint64_t> seeds{1};
  const Cohort cohort = repeat(sine_rows(8), seeds);
  McDropoutSpec same = small_spec();
  same.net.hidden = {32, 16};
  same.train.epochs = 50;
  McDropoutSpec listed = same;
  listed.dropout_layers = {0.2, 0.2};
  EXPECT_EQ(fit(listed, cohort, *engine)->predict(cohort.x).sigma_model,
            fit(same, cohort, *engine)->predict(cohort.x).sigma_model)
      << "the same share in all layers is one share";
  listed.dropout_layers = {0.0, 0.4};
  EXPECT_NE(fit(listed, cohort, *engine)->predict(cohort.x).sigma_model,
            fit(same, cohort, *engine)->predict(cohort.x).sigma_model);
  listed.passes = 3;
  expect_members_apart_and_state(listed);
  const std::shared_ptr<const FittedCohort> fitted = fit(listed, cohort, *engine);
  const Prediction fixed = row_by_row(fitted)->predict(points({0.2F}));
  EXPECT_NEAR(fixed.sigma_model(0, 0, 0), fitted->predict(points({0.2F})).sigma_model(0, 0, 0), 1e-5F);
  EXPECT_FALSE(fields_of(same).find("dropout_layers").in_keys());
}

TEST(McDropout, ImpossibleSettingsAreRefused) {
  const auto engine = make_engine({.device = "cpu"});
  const std::vector<std::uint64_t> seeds{1};
  const auto refusal = [&](const std::function<void(McDropoutSpec&)>& change) {
    McDropoutSpec spec = small_spec();
    change(spec);
    return message_of<ConfigError>([&] { return fit(spec, repeat(sine_rows(4), seeds), *engine); });
  };
  EXPECT_EQ(refusal([](McDropoutSpec& s) { s.dropout = 1.0; }),
            "[models/mc_dropout] dropout must lie between 0 and 1, got 1");
  EXPECT_EQ(refusal([](McDropoutSpec& s) { s.passes = 1; }),
            "[models/mc_dropout] a spread needs at least 2 passes, got 1");
  EXPECT_EQ(
      refusal([](McDropoutSpec& s) {
        s.dropout_layers = {0.1, 0.2};
      }),
      "[models/mc_dropout] dropout_layers has 2 shares, but the network has 1 hidden layers; give one for each, or "
      "none to use dropout in all");
  EXPECT_EQ(refusal([](McDropoutSpec& s) { s.dropout_layers = {1.5}; }),
            "[models/mc_dropout] dropout_layers must be at least 0 and below 1, got 1.5");
  EXPECT_EQ(refusal([](McDropoutSpec& s) { s.dropout_layers = {0.0}; }),
            "[models/mc_dropout] dropout_layers drops nothing, so passes would not differ; one share must be positive");
}

}  // namespace
}  // namespace nomu
