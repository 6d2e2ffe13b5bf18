#include "nomu/models/hyper_deep_ensemble.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "message_of.hpp"
#include "models/ensembles/greedy_ensemble.hpp"
#include "models/ensembles/hyper_search.hpp"
#include "nomu/core/error.hpp"
#include "nomu/models/method.hpp"
#include "unit/models/small_problems.hpp"

namespace nomu {
namespace {

HyperDeepEnsembleSpec small_spec() {
  HyperDeepEnsembleSpec spec;
  spec.net = small_net();
  spec.train.learning_rate = 1e-2;
  spec.train.epochs = 100;
  spec.networks = 3;
  spec.candidates = 8;
  return spec;
}

Tensor<float> rows_of(const std::vector<std::vector<float>>& rows) {
  Tensor<float> tensor(1, rows.size(), rows[0].size());
  for (std::size_t c = 0; c < rows.size(); ++c) std::ranges::copy(rows[c], tensor.row(0, c).begin());
  return tensor;
}

TEST(GreedyEnsemble, PicksByErrorThenByLikelihood) {
  const std::vector<float> targets{0.0F, 1.0F};
  // Candidate 1 is nearest; 2 lies as far on the other side, so that the two together are centred.
  const Tensor<float> predictions = rows_of({{3.0F, 4.0F}, {0.1F, 1.1F}, {-0.1F, 0.9F}, {5.0F, 5.0F}});
  const std::vector<std::size_t> picks = pick_ensemble(predictions, targets, {.networks = 2});
  EXPECT_EQ(picks, (std::vector<std::size_t>{0, 1, 1, 0}));
}

TEST(GreedyEnsemble, StopsWhenNothingHelps) {
  const std::vector<float> targets{0.0F, 0.0F};
  const Tensor<float> predictions = rows_of({{0.5F, -0.5F}, {-0.5F, 0.5F}, {9.0F, 9.0F}});
  EXPECT_EQ(pick_ensemble(predictions, targets, {.networks = 3}), (std::vector<std::size_t>{1, 1, 0}));
  EXPECT_EQ(pick_ensemble(predictions, targets, {.networks = 1}), (std::vector<std::size_t>{1, 0, 0}));
}

TEST(GreedyEnsemble, LeavesOutWhatIsNotFinite) {
  const float none = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> targets{0.0F};
  const Tensor<float> predictions = rows_of({{none}, {1.0F}, {0.5F}, {none}});
  const std::vector<std::size_t> picks = pick_ensemble(predictions, targets, {.networks = 2});
  EXPECT_EQ(picks[0] + picks[3], 0U);
  EXPECT_EQ(picks[2], 1U);
}

TEST(GreedyEnsemble, ThePublishedScoreMixesRows) {
  // Right row by row, but far from each other's targets: all pairs prefer the constant in the middle.
  const std::vector<float> targets{-1.0F, 1.0F};
  const Tensor<float> predictions = rows_of({{-1.0F, 1.0F}, {0.0F, 0.0F}});
  EXPECT_EQ(pick_ensemble(predictions, targets, {.networks = 1})[0], 1U);
  EXPECT_EQ(pick_ensemble(predictions, targets, {.networks = 1, .published_score = true})[1], 1U);
}

TEST(HyperDeepEnsemble, SearchDrawsWithinTheRangesAndPicksAtMostK) {
  const auto engine = make_engine({.device = "cpu"});
  const std::vector<std::uint64_t> seeds{1, 2, 3};
  const HyperDeepEnsembleSpec spec = small_spec();
  const HyperEnsemble found = search_ensembles(spec, repeat(sine_rows(10), seeds), *engine, {});
  std::vector<std::size_t> count(3, 0);
  for (const HyperNetwork& network : found.networks) {
    ++count[network.problem];
    EXPECT_GT(network.picks, 0U);
    EXPECT_GE(network.dropout, spec.dropout_low);
    EXPECT_LE(network.dropout, spec.dropout_high);
    EXPECT_GE(network.l2, spec.l2_low);
    EXPECT_LE(network.l2, spec.l2_high);
  }
  for (const std::size_t networks : count) {
    EXPECT_GE(networks, 1U);
    EXPECT_LE(networks, 3U);
  }
}

TEST(HyperDeepEnsemble, FollowsTheDataAndRefitsOnAllRows) {
  const auto engine = make_engine({.device = "cpu"});
  const std::vector<std::uint64_t> seeds{1};
  HyperDeepEnsembleSpec spec = small_spec();
  spec.dropout_high = 0.05;
  const Cohort cohort = repeat(sine_rows(10), seeds);
  const auto error = [&] {
    const Prediction at = fit(spec, cohort, *engine)->predict(cohort.x);
    double sum = 0.0;
    for (std::size_t i = 0; i < 10; ++i) sum += std::abs(at.mean(0, i, 0) - cohort.y(0, i, 0));
    return sum / 10.0;
  };
  const double without = error();
  EXPECT_LT(without, 0.3);
  spec.refit = true;
  EXPECT_LT(error(), without);
}

TEST(HyperDeepEnsemble, ThePublishedSigmaIsTheVariance) {
  const auto engine = make_engine({.device = "cpu"});
  const std::vector<std::uint64_t> seeds{1};
  HyperDeepEnsembleSpec spec = small_spec();
  const Cohort cohort = repeat(sine_rows(10), seeds);
  const float sigma = fit(spec, cohort, *engine)->predict(points({1.5F})).sigma_model(0, 0, 0);
  spec.published_sigma = true;
  EXPECT_GT(sigma, 0.0F);
  EXPECT_FLOAT_EQ(fit(spec, cohort, *engine)->predict(points({1.5F})).sigma_model(0, 0, 0), sigma * sigma);
}

TEST(HyperDeepEnsemble, MembersStayApartAndComeBack) {
  HyperDeepEnsembleSpec spec = small_spec();
  spec.train.epochs = 10;
  expect_members_apart_and_state(spec);
  spec.refit = true;
  expect_members_apart_and_state(spec);
}

TEST(HyperDeepEnsemble, PresetsAreThePapers) {
  const HyperDeepEnsembleSpec published = HyperDeepEnsembleSpec::published();
  EXPECT_TRUE(published.published_sigma && published.published_score);
  EXPECT_EQ(published.candidates, 50);
  EXPECT_EQ(published.dropout_high, 0.9);
}

TEST(HyperDeepEnsemble, TheDefaultIsChosenFromTheRows) {
  const HyperDeepEnsembleSpec few = resolved(HyperDeepEnsembleSpec{}, 40, 3);
  EXPECT_EQ(few.net.hidden, (std::vector<std::int64_t>{64, 64}));
  EXPECT_EQ(few.train.epochs, 3000);
  EXPECT_LT(resolved(HyperDeepEnsembleSpec{}, 100000, 3).train.epochs, 100);
  EXPECT_EQ(resolved(HyperDeepEnsembleSpec::published(), 40, 3).train.epochs, 1024);
  EXPECT_EQ(resolved(HyperDeepEnsembleSpec::published(), 40, 3).net.hidden.size(), 3U);
}

TEST(HyperDeepEnsemble, ImpossibleSettingsAreRefused) {
  const auto engine = make_engine({.device = "cpu"});
  const std::vector<std::uint64_t> seeds{1};
  const auto refusal = [&](const std::function<void(HyperDeepEnsembleSpec&)>& change) {
    HyperDeepEnsembleSpec spec = small_spec();
    change(spec);
    return message_of<ConfigError>([&] { return fit(spec, repeat(sine_rows(4), seeds), *engine); });
  };
  EXPECT_EQ(refusal([](HyperDeepEnsembleSpec& s) { s.candidates = 0; }),
            "[models/hyper_deep_ensemble] candidates must be positive, got 0");
  EXPECT_EQ(refusal([](HyperDeepEnsembleSpec& s) { s.dropout_high = 1.0; }),
            "[models/hyper_deep_ensemble] dropout needs 0 < low <= high < 1, got low 0.001, high 1");
  EXPECT_EQ(refusal([](HyperDeepEnsembleSpec& s) { s.validation = 0.0; }),
            "[models/hyper_deep_ensemble] validation must lie between 0 and 1, got 0");
  EXPECT_THAT(
      message_of<DataError>([&] { return fit(small_spec(), repeat(make_dataset({0.5}, 1, {1.0}), seeds), *engine); }),
      testing::HasSubstr("member 0 has 1 rows; at least 2 are needed"));
}

}  // namespace
}  // namespace nomu
