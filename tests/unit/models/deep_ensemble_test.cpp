#include "nomu/models/deep_ensemble.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "message_of.hpp"
#include "models/network/mixture.hpp"
#include "models/network/network_plan.hpp"
#include "nomu/core/error.hpp"
#include "nomu/models/method.hpp"
#include "unit/models/small_problems.hpp"

namespace nomu {
namespace {

using testing::HasSubstr;

DeepEnsembleSpec small_spec() {
  DeepEnsembleSpec spec;
  spec.net = small_net();
  spec.train = {.epochs = 400, .learning_rate = 1e-2, .snapshot = Snapshot::none};
  spec.l2 = 1e-8;
  return spec;
}

TEST(Ensemble, MomentsAreThoseOfTheMixture) {
  const OutputMap map = regression_outputs(true);
  Mixture mixture(map, 1, 1);
  const float low[] = {1.0F, 0.0F};
  const float high[] = {4.0F, -30.0F};
  mixture.add(0, {.first = 0, .count = 1}, low, 3.0);
  mixture.add(0, {.first = 0, .count = 1}, high, 1.0);
  const Prediction prediction = mixture.prediction();
  EXPECT_FLOAT_EQ(prediction.mean(0, 0, 0), 1.75F);
  EXPECT_FLOAT_EQ(prediction.sigma_model(0, 0, 0), std::sqrt(0.75F * 0.5625F + 0.25F * 5.0625F));
  EXPECT_NEAR(prediction.sigma_noise(0, 0, 0), std::sqrt(0.75) * (std::log(2.0) + 1e-6), 1e-6);
}

TEST(DeepEnsemble, AgreesAtThePointsAndPartsAway) {
  const auto engine = make_engine({.device = "cpu"});
  const std::vector<std::uint64_t> seeds{1, 2};
  const Cohort cohort = repeat(sine_rows(6), seeds);
  const auto fitted = fit(small_spec(), cohort, *engine);
  const Prediction at = fitted->predict(cohort.x);
  const Prediction away = fitted->predict(points({3.0F}));
  EXPECT_TRUE(at.sigma_noise.empty());
  for (std::size_t m = 0; m < 2; ++m) {
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_NEAR(at.mean(m, i, 0), cohort.y(m, i, 0), 0.05F);
      EXPECT_LT(at.sigma_model(m, i, 0), 0.3F * away.sigma_model(m, 0, 0));
    }
    EXPECT_FALSE(fitted->reports()[m].diverged);
    EXPECT_EQ(fitted->reports()[m].epochs, 400);
    EXPECT_EQ(fitted->reports()[m].history.size(), 400U);
  }
}

TEST(DeepEnsemble, LearnsTheNoise) {
  DeepEnsembleSpec spec = small_spec();
  spec.net.hidden = {8};
  spec.learn_noise = true;
  spec.networks = 3;
  const std::vector<std::uint64_t> seeds{5};
  const auto engine = make_engine({.device = "cpu"});
  const auto fitted = fit(spec, repeat(sine_rows(60, 0.3), seeds), *engine);
  const Prediction prediction = fitted->predict(points({-0.5F, 0.0F, 0.5F}));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(prediction.sigma_noise(0, i, 0), 0.3F, 0.1F);
}

TEST(DeepEnsemble, MembersStayApartAndComeBack) {
  DeepEnsembleSpec spec = small_spec();
  spec.networks = 2;
  spec.train.epochs = 10;
  expect_members_apart_and_state(spec);
  spec.learn_noise = true;
  expect_members_apart_and_state(spec);
}

TEST(DeepEnsemble, PresetIsThePapers) {
  const DeepEnsembleSpec spec = DeepEnsembleSpec::published();
  EXPECT_EQ(spec.net.hidden, (std::vector<std::int64_t>{256, 1024, 512}));
  EXPECT_EQ(spec.net.init_scale, 0.05);
  EXPECT_EQ(spec.networks, 5);
  EXPECT_EQ(spec.train.clip_norm, 1000.0);
  EXPECT_EQ(spec.train.snapshot, Snapshot::none);
}

TEST(DeepEnsemble, TheRestIsChosenFromTheRows) {
  DeepEnsembleSpec spec = resolved(DeepEnsembleSpec{}, 10, 3);
  EXPECT_EQ(spec.net.hidden, (std::vector<std::int64_t>{64, 64}));
  EXPECT_EQ(spec.train.epochs, 3000) << "one batch an epoch";
  EXPECT_LT(spec.l2, 1e-6) << "every target is met";
  spec = DeepEnsembleSpec{};
  spec.learn_noise = true;
  EXPECT_GT(resolved(spec, 10, 3).l2, 1e-2);
  EXPECT_EQ(resolved(spec, 10, 3).net.hidden, (std::vector<std::int64_t>{50}));
  EXPECT_EQ(resolved(DeepEnsembleSpec::published(), 1000, 3).train.epochs, 1024) << "what is set stays";
}

TEST(DeepEnsemble, ImpossibleSettingsAreRefused) {
  const auto engine = make_engine({.device = "cpu"});
  const std::vector<std::uint64_t> seeds{1};
  const auto refusal = [&](const std::function<void(DeepEnsembleSpec&)>& change) {
    DeepEnsembleSpec spec = small_spec();
    change(spec);
    return message_of<ConfigError>([&] { return fit(spec, repeat(sine_rows(4), seeds), *engine); });
  };
  EXPECT_EQ(refusal([](DeepEnsembleSpec& s) { s.networks = 0; }),
            "[models/deep_ensemble] an ensemble needs at least one network, got 0");
  EXPECT_EQ(refusal([](DeepEnsembleSpec& s) { s.net.hidden = {0}; }),
            "[models/deep_ensemble] hidden layers need at least one unit, got 0");
  DeepEnsembleSpec spec = small_spec();
  spec.train.epochs = 2;
  const auto fitted = fit(spec, repeat(sine_rows(4), seeds), *engine);
  spec.networks = 4;
  EXPECT_THAT(message_of<DataError>([&] { return restore(spec, fitted->state(), fitted->reports(), *engine); }),
              HasSubstr("block 'parameters' has"));
}

}  // namespace
}  // namespace nomu
