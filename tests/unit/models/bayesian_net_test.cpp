// Linearised Laplace and the neural linear model.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "engine/layout.hpp"
#include "message_of.hpp"
#include "models/bayes/bayesian_linear.hpp"
#include "models/bayes/linearised_net.hpp"
#include "models/network/network_plan.hpp"
#include "nomu/core/error.hpp"
#include "nomu/models/laplace.hpp"
#include "nomu/models/method.hpp"
#include "nomu/models/neural_linear.hpp"
#include "unit/models/small_problems.hpp"

namespace nomu {
namespace {

using testing::HasSubstr;

template <class Spec>
Spec small_spec() {
  Spec spec;
  spec.net.hidden = {16};
  spec.train = {.epochs = 600, .learning_rate = 1e-2};
  return spec;
}

DataSet line_with_noise() {
  std::vector<double> x;
  std::vector<double> y;
  for (int i = 0; i < 12; ++i) {
    x.push_back(std::sin(1.7 * i));
    y.push_back(0.5 - 0.8 * x.back() + 0.2 * std::cos(5.0 * i));
  }
  return make_dataset(x, 1, y);
}

// Without hidden layers the regressors are the input and 1. Numbers of scikit-learn 1.x's BayesianRidge without
// hyperpriors and intercept on the same two columns.
TEST(NeuralLinear, WithoutHiddenLayersIsBayesianRegression) {
  NeuralLinearSpec spec;
  spec.net.hidden = {};
  spec.train.epochs = 1;
  const std::vector<std::uint64_t> seeds{1};
  const auto engine = make_engine({.device = "cpu"});
  const auto fitted = fit(spec, repeat(line_with_noise(), seeds), *engine);
  const Prediction prediction = fitted->predict(points({-0.7F, 0.1F, 2.0F}));
  const double mean[] = {1.03815373, 0.44332517, -0.96939266};
  const double sigma[] = {0.06141116, 0.04345346, 0.13392778};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(prediction.mean(0, i, 0), mean[i], 1e-5);
    EXPECT_NEAR(prediction.sigma_model(0, i, 0), sigma[i], 1e-5);
    EXPECT_NEAR(prediction.sigma_noise(0, i, 0), 0.14906538, 1e-5);
  }
}

TEST(LinearisedNet, SlopesAreThoseOfTheOutput) {
  const MlpSpec net{.hidden = {5, 4}, .activation = Activation::tanh, .init_scale = 0.8};
  const TrainSpec train;
  const engine::Networks networks = regression_networks({.net = net, .train = train}, 3, "test");
  const engine::Layout layout = engine::make_layout(networks, LossKind::squared_error);
  std::vector<float> parameters(layout.parameters);
  engine::initialise(networks, layout, 3, parameters.data());
  LinearisedNet at(layout, parameters);
  ASSERT_EQ(at.parameters(), 3U * 5 + 5 + 5 * 4 + 4 + 4 + 1);
  const float x[] = {0.3F, -0.8F, 0.5F};
  std::vector<double> slopes(at.parameters());
  std::vector<double> features(at.features());
  const double value = at.differentiate(x, slopes);
  EXPECT_EQ(at.evaluate(x, features), value);
  EXPECT_EQ(features.back(), 1.0);
  for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(slopes[slopes.size() - 5 + k], features[k], 1e-14) << "the head";
  std::size_t place = 0;
  for (const engine::Layer& layer : layout.layers) {
    const std::size_t weights = layer.fan_in() * layer.units;
    for (std::size_t e = 0; e < weights + layer.units; ++e, ++place) {
      std::vector<float> moved = parameters;
      const std::size_t offset = e < weights ? layer.weights + e : layer.bias + e - weights;
      moved[offset] += 0.01F;
      const double there = LinearisedNet(layout, moved).evaluate(x, features);
      EXPECT_NEAR(slopes[place], (there - value) / static_cast<double>(moved[offset] - parameters[offset]), 5e-3);
    }
  }
}

TEST(BayesianLinear, CovarianceIsTheInverseOfThePrecision) {
  Matrix columns(2, 3);
  columns << 1.0, 2.0, -1.0, 0.5, 0.0, 1.0;
  NormalEquations equations(2);
  equations.add(columns, Vector::Ones(3), Vector::Ones(3));
  const BayesianLinear fit = regress_around(equations, 2.0, 0.5);
  const Matrix precision = fit.alpha * Matrix::Identity(2, 2) + fit.beta * columns * columns.transpose();
  EXPECT_TRUE((fit.root * fit.root.transpose() * precision).isIdentity(1e-10));
  // The evidence does not rise any more in either direction.
  const auto evidence = [&](double alpha, double beta) {
    const Matrix p = alpha * Matrix::Identity(2, 2) + beta * columns * columns.transpose();
    return -0.5 * beta * 0.5 - 0.5 * alpha * 2.0 - 0.5 * std::log(p(0, 0) * p(1, 1) - p(0, 1) * p(1, 0)) +
           std::log(alpha) + 1.5 * std::log(beta);
  };
  const double best = evidence(fit.alpha, fit.beta);
  for (const double factor : {0.9, 1.1}) {
    EXPECT_LT(evidence(factor * fit.alpha, fit.beta), best);
    EXPECT_LT(evidence(fit.alpha, factor * fit.beta), best);
  }
}

template <class Spec>
void expect_sensible() {
  const auto engine = make_engine({.device = "cpu"});
  const std::vector<std::uint64_t> seeds{1, 2};
  const auto fitted = fit(small_spec<Spec>(), repeat(sine_rows(40, 0.2), seeds), *engine);
  const Prediction prediction = fitted->predict(points({-0.5F, 0.0F, 0.5F, 6.0F}));
  for (std::size_t m = 0; m < 2; ++m) {
    EXPECT_FALSE(fitted->reports()[m].diverged);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(prediction.mean(m, i, 0), std::sin(1.5 * (static_cast<double>(i) - 1.0)), 0.25);
      EXPECT_NEAR(prediction.sigma_noise(m, i, 0), 0.2, 0.06);
      EXPECT_GT(prediction.sigma_model(m, i, 0), 0.01F);
      EXPECT_LT(prediction.sigma_model(m, i, 0), 0.25F * prediction.sigma_model(m, 3, 0));
    }
  }
}

TEST(Laplace, KnowsTheNoiseAndIsUnsureFarAway) { expect_sensible<LaplaceSpec>(); }
TEST(NeuralLinear, KnowsTheNoiseAndIsUnsureFarAway) { expect_sensible<NeuralLinearSpec>(); }

TEST(Laplace, TheLastLayerAloneIsSurer) {
  const auto engine = make_engine({.device = "cpu"});
  const std::vector<std::uint64_t> seeds{1};
  auto spec = small_spec<LaplaceSpec>();
  const Cohort cohort = repeat(sine_rows(40, 0.2), seeds);
  const Prediction full = fit(spec, cohort, *engine)->predict(points({0.3F}));
  spec.weights = LaplaceSpec::Weights::last_layer;
  const Prediction last = fit(spec, cohort, *engine)->predict(points({0.3F}));
  EXPECT_EQ(full.mean, last.mean) << "the mean is the network's own";
  EXPECT_LT(last.sigma_model(0, 0, 0), 1.5F * full.sigma_model(0, 0, 0));
}

TEST(Laplace, MembersStayApartAndComeBack) {
  auto spec = small_spec<LaplaceSpec>();
  spec.train.epochs = 10;
  expect_members_apart_and_state(spec);
  spec.weights = LaplaceSpec::Weights::last_layer;
  expect_members_apart_and_state(spec);
}

TEST(NeuralLinear, MembersStayApartAndComeBack) {
  auto spec = small_spec<NeuralLinearSpec>();
  spec.train.epochs = 10;
  expect_members_apart_and_state(spec);
}

TEST(Laplace, TakesTheLastLayerWhereAllAreTooMany) {
  EXPECT_EQ(resolved(LaplaceSpec{}, 1000, 8).weights, LaplaceSpec::Weights::full);
  EXPECT_EQ(resolved(LaplaceSpec{}, 1000, 100).weights, LaplaceSpec::Weights::last_layer);
  EXPECT_EQ(resolved(LaplaceSpec{}, 1000, 8).train.epochs, 375);
  EXPECT_EQ(resolved(NeuralLinearSpec{}, 1000, 8).train.epochs, 375);
}

TEST(Laplace, TooManyParametersAreRefused) {
  const auto engine = make_engine({.device = "cpu"});
  const std::vector<std::uint64_t> seeds{1};
  LaplaceSpec spec;
  spec.net.hidden = {64, 64};
  spec.weights = LaplaceSpec::Weights::full;
  EXPECT_EQ(message_of<ConfigError>([&] { return fit(spec, repeat(sine_rows(4), seeds), *engine); }),
            "[models/laplace] 4353 uncertain parameters are too many for a full covariance (limit 2500); use smaller "
            "hidden layers or weights = last_layer");
  NeuralLinearSpec wide;
  wide.net.hidden = {2500};
  EXPECT_THAT(message_of<ConfigError>([&] { return fit(wide, repeat(sine_rows(4), seeds), *engine); }),
              HasSubstr("use a smaller last hidden layer"));
}

}  // namespace
}  // namespace nomu
