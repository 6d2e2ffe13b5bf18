// The two yardsticks: TUBE and the aleatoric network.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "message_of.hpp"
#include "nomu/core/error.hpp"
#include "nomu/models/ann.hpp"
#include "nomu/models/method.hpp"
#include "nomu/models/tube.hpp"
#include "unit/models/small_problems.hpp"

namespace nomu {
namespace {

TubeSpec small_tube() {
  TubeSpec spec;
  spec.nomu.mean_net = spec.nomu.sigma_net = small_net();
  spec.nomu.train.epochs = 30;
  spec.nomu.augment.count = 8;
  return spec;
}

AnnSpec small_ann() {
  AnnSpec spec;
  spec.net = small_net();
  spec.train.learning_rate = 1e-2;
  spec.train.epochs = 400;
  return spec;
}

TEST(Tube, HasTheMeanOfNomuAndOneSigma) {
  const auto engine = make_engine({.device = "cpu"});
  const std::vector<std::uint64_t> seeds{1, 2};
  TubeSpec spec = small_tube();
  spec.sigma = 0.7;
  const Cohort cohort = repeat(sine_rows(6), seeds);
  const Tensor<float> x = points({-0.9F, 0.0F, 4.0F});
  const Prediction tube = fit(spec, cohort, *engine)->predict(x);
  EXPECT_EQ(tube.mean, fit(spec.nomu, cohort, *engine)->predict(x).mean);
  for (const float sigma : tube.sigma_model.flat()) EXPECT_EQ(sigma, 0.7F);
  spec.sigma = 0.0;
  EXPECT_EQ(message_of<ConfigError>([&] { return fit(spec, cohort, *engine); }),
            "[models/tube] sigma must be positive, got 0");
}

TEST(Tube, MembersStayApartAndComeBack) { expect_members_apart_and_state(small_tube()); }

TEST(Ann, TakesTheNoiseForModelUncertainty) {
  const auto engine = make_engine({.device = "cpu"});
  const std::vector<std::uint64_t> seeds{1};
  AnnSpec spec = small_ann();
  spec.net.hidden = {8};
  const Prediction prediction =
      fit(spec, repeat(sine_rows(60, 0.3), seeds), *engine)->predict(points({-0.5F, 0.0F, 0.5F}));
  for (const float sigma : prediction.sigma_model.flat()) EXPECT_NEAR(sigma, 0.3F, 0.1F);
  EXPECT_TRUE(prediction.sigma_noise.empty());
}

TEST(Ann, MembersStayApartAndComeBack) {
  AnnSpec spec = small_ann();
  spec.train.epochs = 10;
  expect_members_apart_and_state(spec);
}

TEST(Ann, ImpossibleSettingsAreRefused) {
  const auto engine = make_engine({.device = "cpu"});
  const std::vector<std::uint64_t> seeds{1};
  AnnSpec spec = small_ann();
  spec.net.hidden = {-1};
  EXPECT_EQ(message_of<ConfigError>([&] { return fit(spec, repeat(sine_rows(4), seeds), *engine); }),
            "[models/ann] hidden layers need at least one unit, got -1");
}

TEST(Method, EveryMethodHasANameFieldsAndATitle) {
  for (const std::string& name : method_names()) {
    SCOPED_TRACE(name);
    MethodSpec spec = method_named(name);
    EXPECT_EQ(method_name(spec), name);
    EXPECT_FALSE(method_title(spec).empty());
    EXPECT_FALSE(fields_of(spec).list().empty());
    EXPECT_THAT(fields_of(spec).where(), testing::StartsWith("models/"));
  }
}

}  // namespace
}  // namespace nomu
