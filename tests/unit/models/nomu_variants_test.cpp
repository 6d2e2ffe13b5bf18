// Noise, stages, ensembles, artificial points and `auto`.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "message_of.hpp"
#include "models/network/ensemble.hpp"
#include "models/nomu/artificial_points.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/random.hpp"
#include "nomu/models/method.hpp"
#include "unit/models/small_problems.hpp"

namespace nomu {
namespace {

using testing::HasSubstr;

/// 200 rows of x / 2 on [-1, 1] with noise of deviation 0.05 on the left and 0.3 on the right.
DataSet noisy_line() {
  Random random(7);
  std::vector<double> x;
  std::vector<double> y;
  for (int i = 0; i < 200; ++i) {
    x.push_back(random.uniform(-1.0, 1.0));
    y.push_back(0.5 * x.back() + (x.back() < 0.0 ? 0.05 : 0.3) * random.normal());
  }
  return make_dataset(x, 1, y);
}

Tensor<float> two_ends() {
  Tensor<float> ends(1, 2, 1);
  ends(0, 0, 0) = -0.7F;
  ends(0, 1, 0) = 0.7F;
  return ends;
}

TEST(NomuNoise, IsLearnedWhereItIs) {
  const auto engine = make_engine({});
  const std::vector<std::uint64_t> seeds{1};
  NomuSpec spec = quick_spec(Noise::learned);
  spec.train.epochs = 300;
  for (const Stages stages : {Stages::two_stage, Stages::joint}) {
    spec.stages = stages;
    const Prediction ends = fit(spec, repeat(noisy_line(), seeds), *engine)->predict(two_ends());
    EXPECT_NEAR(ends.sigma_noise(0, 0, 0), 0.05, 0.05);
    EXPECT_NEAR(ends.sigma_noise(0, 1, 0), 0.3, 0.1);
    EXPECT_NEAR(ends.mean(0, 0, 0), -0.35, 0.1);
  }
}

TEST(NomuNoise, KnownNoiseDecidesWhomTheMeanBelieves) {
  // Two rows at the same place disagree; the mean goes with the one that is known to be precise.
  DataSet data = make_dataset({0.0, 0.0, 1.0, -1.0}, 1, {1.0, 0.0, 0.5, 0.5});
  data.noise = {1.0, 0.01, 0.1, 0.1};
  const auto engine = make_engine({});
  const std::vector<std::uint64_t> seeds{1};
  NomuSpec spec = quick_spec(Noise::known);
  const auto mean_at_zero = [&] {
    const Prediction prediction = fit(spec, repeat(data, seeds), *engine)->predict(Tensor<float>(1, 1, 1));
    EXPECT_TRUE(prediction.sigma_noise.empty()) << "nobody but the caller knows it at new rows";
    return prediction.mean(0, 0, 0);
  };
  EXPECT_NEAR(mean_at_zero(), 0.0, 0.1);
  spec.stages = Stages::joint;
  EXPECT_NEAR(mean_at_zero(), 0.0, 0.1);

  data.noise.clear();
  EXPECT_THAT(message_of<DataError>([&] { (void)fit(spec, repeat(data, seeds), *engine); }),
              HasSubstr("[models/nomu] noise = known needs the data noise of every row"));
}

TEST(NomuStages, TheSecondLeavesTheMeanAlone) {
  const auto engine = make_engine({});
  NomuSpec spec = quick_spec();
  const auto first = fit(spec, line_of_points({1, 2}), *engine);
  EXPECT_EQ(first->reports()[0].history.size(), 1200U) << "both stages are on record";
  spec.mu_sqr = 1.0;
  spec.sigma_net.hidden = {16};
  const auto second = fit(spec, line_of_points({1, 2}), *engine);
  EXPECT_EQ(second->predict(line_probes()).mean, first->predict(line_probes()).mean);
  EXPECT_NE(second->predict(line_probes()).sigma_model, first->predict(line_probes()).sigma_model);
}

TEST(NomuEnsemble, IsTheMixtureOfItsParts) {
  const auto engine = make_engine({});
  NomuSpec spec = quick_spec(Noise::learned);
  spec.train.epochs = 50;
  spec.ensemble = 3;
  const Cohort cohort = line_of_points({5});
  const Prediction whole = fit(spec, cohort, *engine)->predict(line_probes());
  spec.ensemble = 1;
  const Prediction parts = fit(spec, repeat_members(cohort, 3), *engine)->predict(line_probes());
  for (std::size_t i = 0; i < 6; ++i) {
    double mean = 0.0;
    double second_moment = 0.0;
    double noise = 0.0;
    for (std::size_t k = 0; k < 3; ++k) {
      mean += static_cast<double>(parts.mean(k, i, 0)) / 3.0;
      second_moment += (std::pow(parts.mean(k, i, 0), 2) + std::pow(parts.sigma_model(k, i, 0), 2)) / 3.0;
      noise += std::pow(parts.sigma_noise(k, i, 0), 2) / 3.0;
    }
    EXPECT_NEAR(whole.mean(0, i, 0), mean, 1e-5);
    EXPECT_NEAR(whole.sigma_model(0, i, 0), std::sqrt(second_moment - mean * mean), 1e-5);
    EXPECT_NEAR(whole.sigma_noise(0, i, 0), std::sqrt(noise), 1e-5);
  }
}

TEST(NomuEnsemble, AMemberIsTheSameInAnyCompanyAndComesBack) {
  const auto engine = make_engine({});
  NomuSpec spec;  // nothing resolved
  spec.noise = Noise::learned;
  spec.ensemble = 2;
  spec.train.epochs = 10;
  const auto both = fit(MethodSpec{spec}, line_of_points({8, 9}), *engine);
  const auto alone = fit(MethodSpec{spec}, line_of_points({9}), *engine);
  const Prediction together = both->predict(line_probes());
  EXPECT_EQ(together.sigma_model(1, 5, 0), alone->predict(line_probes()).sigma_model(0, 5, 0));
  ASSERT_EQ(both->reports().size(), 2U);
  const auto again = restore(MethodSpec{spec}, both->state(), both->reports(), *engine);
  EXPECT_EQ(again->predict(line_probes()).sigma_model, together.sigma_model);
  EXPECT_EQ(again->predict(line_probes()).sigma_noise, together.sigma_noise);
  EXPECT_EQ(again->raw_sigma(line_probes()), both->raw_sigma(line_probes()));
}

TEST(NomuEnsemble, PartsThatDivergedAreLeftOut) {
  std::vector<FitReport> parts(4);
  for (FitReport& part : parts) part.best_loss = 2.0;
  parts[1].diverged = parts[2].diverged = parts[3].diverged = true;
  parts[1].best_loss = 1e30;
  const Tensor<float> kept = kept_networks(parts, 2);
  EXPECT_THAT(kept.flat(), testing::ElementsAre(1.0F, 0.0F, 1.0F, 1.0F))
      << "where all diverged, all are kept and it is said";
  const std::vector<std::uint64_t> seeds{1, 2};
  const std::vector<FitReport> reports = merged(parts, kept, seeds);
  EXPECT_FALSE(reports[0].diverged);
  EXPECT_EQ(reports[0].dropped, 1);
  EXPECT_EQ(reports[0].best_loss, 2.0);
  EXPECT_TRUE(reports[1].diverged);
}

TEST(NomuEnsemble, PartsThatAreNotChosenHaveNotDiverged) {
  std::vector<FitReport> parts(3);
  parts[1].diverged = true;
  Tensor<float> weights(1, 1, 3);
  weights(0, 0, 0) = 1.0F;
  const std::vector<std::uint64_t> seeds{1};
  EXPECT_EQ(merged(parts, weights, seeds)[0].dropped, 1);
}

TEST(ArtificialPoints, LieInTheBoxOfTheMembersOwnRows) {
  std::vector<DataSet> members{make_dataset({1.0, 3.0, 2.0}, 1, {0.0, 1.0, 0.0}), make_dataset({-1.0, 0.0}, 1, {0, 1})};
  const std::vector<std::uint64_t> seeds{1, 2};
  const Augmentation spec{.count = 5, .box = Augmentation::Box::data, .margin = 0.25};
  const engine::Augment drawn = artificial_points(spec, pack(members, seeds));
  EXPECT_EQ(drawn.box(0, 0, 0), 0.5F);
  EXPECT_EQ(drawn.box(0, 1, 0), 3.5F);
  EXPECT_EQ(drawn.box(1, 0, 0), -1.25F);
  EXPECT_EQ(drawn.box(1, 1, 0), 0.25F) << "padding is no row";
  Augmentation grid = spec;
  grid.kind = Augmentation::Kind::grid;
  const engine::Augment fixed = artificial_points(grid, pack(members, seeds));
  EXPECT_EQ(fixed.points(1, 0, 0), -1.25F);
  EXPECT_EQ(fixed.points(0, 2, 0), 2.0F);
  EXPECT_EQ(fixed.points(0, 4, 0), 3.5F);
}

TEST(ArtificialPoints, MayBeGiven) {
  Cohort cohort = line_of_points({1, 2});
  Augmentation spec{.kind = Augmentation::Kind::given, .count = 3};
  EXPECT_THAT(message_of<DataError>([&] { (void)artificial_points(spec, cohort); }), HasSubstr("there are none"));
  cohort.unlabelled = Tensor<float>(1, 3, 2);
  EXPECT_THAT(message_of<DataError>([&] { (void)artificial_points(spec, cohort); }), HasSubstr("they have 2 columns"));
  cohort.unlabelled = Tensor<float>(1, 3, 1, 0.5F);
  EXPECT_EQ(artificial_points(spec, cohort).kind, engine::AugmentKind::fixed);
  spec.count = 2;
  EXPECT_EQ(artificial_points(spec, cohort).kind, engine::AugmentKind::pool);

  NomuSpec nomu = quick_spec();
  nomu.augment = spec;
  nomu.ensemble = 2;
  nomu.train.epochs = 3;
  const auto engine = make_engine({});
  EXPECT_FALSE(fit(nomu, cohort, *engine)->reports()[0].diverged);
}

TEST(Automatic, FillsOnlyWhatIsLeftOpen) {
  NomuSpec spec;
  spec.noise = Noise::learned;
  spec.train.epochs = 1024;
  spec.l2 = 0.0;
  const NomuSpec chosen = resolved(spec, 1000, 8);
  EXPECT_EQ(chosen.train.epochs, 1024);
  EXPECT_EQ(chosen.l2, 0.0);
  EXPECT_GT(chosen.l2_sigma, 0.0);
  EXPECT_GT(chosen.mu_exp, resolved(NomuSpec{}, 1000, 8).mu_exp) << "noise asks for more";
  EXPECT_FALSE(chosen.mean_net.hidden.empty());
  NomuSpec published = NomuSpec::published(1);
  NomuSpec untouched = resolved(published, 8, 1);
  EXPECT_TRUE(fields_of(untouched).differences(fields_of(published)).empty());
}

TEST(Automatic, StepsAreBoundedWhateverTheRows) {
  for (const std::size_t rows : {std::size_t{4}, std::size_t{127}, std::size_t{1000}, std::size_t{50000}}) {
    const NomuSpec spec = resolved(NomuSpec{}, rows, 10);
    const std::size_t batches = (rows + 127) / 128;
    const std::size_t steps = static_cast<std::size_t>(spec.train.epochs) * batches;
    EXPECT_GE(steps, 2900U) << rows;
    EXPECT_LE(steps, 60000U) << rows;
  }
}

TEST(Automatic, FitsThePointsAndIsUnsureElsewhere) {
  const auto engine = make_engine({});
  NomuSpec spec;
  spec.train.epochs = 1000;
  spec.ensemble = 2;
  const Prediction prediction = fit(spec, line_of_points({1}), *engine)->predict(line_probes());
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(prediction.mean(0, i, 0), std::sin(3.0F * line_probes()(0, i, 0)), 0.05F);
    EXPECT_LT(prediction.sigma_model(0, i, 0), 0.5F * prediction.sigma_model(0, 5, 0)) << i;
  }
}

}  // namespace
}  // namespace nomu
