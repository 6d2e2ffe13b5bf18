#include "nomu/models/foreign.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "message_of.hpp"
#include "nomu/core/error.hpp"
#include "unit/models/small_problems.hpp"

namespace nomu {
namespace {

using testing::HasSubstr;

/// sin(3 x), with sin and cos as its features, of which the second is large.
class Sine : public ForeignNetwork {
 public:
  [[nodiscard]] std::size_t inputs() const override { return 1; }
  [[nodiscard]] std::size_t features() const override { return 2; }
  [[nodiscard]] Evaluation evaluate(const Tensor<float>& x) const override {
    Evaluation answer{.mean = Tensor<float>(1, x.rows(), 1), .features = Tensor<float>(1, x.rows(), 2)};
    for (std::size_t i = 0; i < x.rows(); ++i) {
      answer.mean(0, i, 0) = answer.features(0, i, 0) = std::sin(3.0F * x(0, i, 0));
      answer.features(0, i, 1) = 1e4F * std::cos(3.0F * x(0, i, 0));
    }
    return answer;
  }
};

class Broken : public Sine {
 public:
  [[nodiscard]] Evaluation evaluate(const Tensor<float>& x) const override {
    Evaluation answer = Sine::evaluate(x);
    if (nan) {
      answer.mean(0, 0, 0) = std::nanf("");
    } else {
      answer.features = Tensor<float>(1, x.rows(), 3);
    }
    return answer;
  }
  bool nan = false;
};

TEST(Foreign, KeepsItsMeanAndGetsBounds) {
  const auto engine = make_engine({});
  const auto network = std::make_shared<Sine>();
  const NomuSpec spec = quick_spec();
  const Cohort cohort = line_of_points({1, 2});
  const auto fitted = fit_sigma(spec, network, cohort, *engine);
  const Prediction prediction = fitted->predict(line_probes());
  ASSERT_EQ(prediction.mean.members(), 2U);
  for (std::size_t m = 0; m < 2; ++m) {
    EXPECT_FALSE(fitted->reports()[m].diverged);
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_EQ(prediction.mean(m, i, 0), std::sin(3.0F * line_probes()(0, i, 0)));
    }
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_LT(prediction.sigma_model(m, i, 0), 0.5F * prediction.sigma_model(m, 5, 0)) << m << " " << i;
    }
  }
  const auto alone = fit_sigma(spec, network, line_of_points({2}), *engine);
  EXPECT_EQ(alone->raw_sigma(line_probes())(0, 5, 0), fitted->raw_sigma(line_probes())(1, 5, 0));
  const auto again = restore_sigma(spec, network, fitted->state(), fitted->reports(), *engine);
  EXPECT_EQ(again->predict(line_probes()).sigma_model, prediction.sigma_model);
}

TEST(Foreign, WrongAnswersAreRefused) {
  const auto engine = make_engine({});
  const auto network = std::make_shared<Broken>();
  const auto refusal = [&] {
    return message_of<DataError>([&] { (void)fit_sigma(quick_spec(), network, line_of_points({1}), *engine); });
  };
  EXPECT_THAT(refusal(), HasSubstr("[models/foreign] for 4 rows the network must give mean [1][4][1]"));
  network->nan = true;
  EXPECT_THAT(refusal(), HasSubstr("a number that is not finite"));
  const std::vector<std::uint64_t> seeds{1};
  const Cohort wide = repeat(make_dataset({0, 1, 2, 3}, 2, {0, 1}), seeds);
  EXPECT_THAT(message_of<DataError>([&] { (void)fit_sigma(quick_spec(), network, wide, *engine); }),
              HasSubstr("the network reads 1 columns, the data have 2"));
}

TEST(Foreign, NoiseIsLearnedBesideTheGivenMean) {
  const auto engine = make_engine({});
  const auto network = std::make_shared<Sine>();
  const NomuSpec spec = quick_spec(Noise::learned);
  const auto fitted = fit_sigma(spec, network, line_of_points({1, 2}), *engine);
  const Prediction prediction = fitted->predict(line_probes());
  ASSERT_EQ(prediction.sigma_noise.members(), 2U);
  EXPECT_EQ(prediction.mean(0, 1, 0), std::sin(3.0F * line_probes()(0, 1, 0)));
  for (const float noise : prediction.sigma_noise.flat()) EXPECT_GE(noise, static_cast<float>(spec.noise_floor));
  const auto again = restore_sigma(spec, network, fitted->state(), fitted->reports(), *engine);
  EXPECT_EQ(again->predict(line_probes()).sigma_noise, prediction.sigma_noise);
  EXPECT_EQ(again->predict(line_probes()).sigma_model, prediction.sigma_model);
}

}  // namespace
}  // namespace nomu
