#include "nomu/models/foreign.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "message_of.hpp"
#include "nomu/core/error.hpp"
#include "nomu/models/archive.hpp"
#include "nomu/models/method.hpp"
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

/// Another network of the same shape.
class Cosine : public Sine {
 public:
  [[nodiscard]] Evaluation evaluate(const Tensor<float>& x) const override {
    Evaluation answer = Sine::evaluate(x);
    for (std::size_t i = 0; i < x.rows(); ++i) answer.mean(0, i, 0) = std::cos(3.0F * x(0, i, 0));
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
  EXPECT_THAT(refusal(), HasSubstr("[models/foreign] for 4 rows the network must return mean [1][4][1]"));
  network->nan = true;
  EXPECT_THAT(refusal(), HasSubstr("a number that is not finite"));
  const std::vector<std::uint64_t> seeds{1};
  const Cohort wide = repeat(make_dataset({0, 1, 2, 3}, 2, {0, 1}), seeds);
  EXPECT_THAT(message_of<DataError>([&] { (void)fit_sigma(quick_spec(), network, wide, *engine); }),
              HasSubstr("the network reads 1 columns, but the data have 2"));
}

TEST(Foreign, BoundsAreReadAgainTogetherWithTheirNetwork) {
  FitSpec spec;
  spec.method = quick_spec(Noise::learned);
  const DataSet data = make_dataset({-0.8, -0.1, 0.4, 0.9}, 1, {1, 2, 0, 1});
  const Model model = fit_bounds(spec, std::make_shared<Sine>(), data);
  const std::string file = pack_model(model);
  const Model again = unpack_bounds(file, "bounds.nomu", std::make_shared<Sine>());
  const std::vector<double> x{-0.5, 0.2, 2.0};
  EXPECT_EQ(again.predict(x).mean, model.predict(x).mean);
  EXPECT_EQ(again.predict(x).sigma_model, model.predict(x).sigma_model);
  EXPECT_EQ(again.predict(x).sigma_noise, model.predict(x).sigma_noise);
  EXPECT_EQ(pack_model(again), file);
  EXPECT_THAT(message_of<DataError>([&] { (void)unpack_model(file, "bounds.nomu"); }),
              HasSubstr("these are bounds for a network, which the file does not contain"));
  EXPECT_THAT(message_of<DataError>([&] { (void)unpack_bounds(file, "bounds.nomu", std::make_shared<Cosine>()); }),
              HasSubstr("this is not the network that the bounds were fitted for"));
  const std::string alone = pack_model(fit(FitSpec{.method = quick_spec()}, data));
  EXPECT_THAT(message_of<DataError>([&] { (void)unpack_bounds(alone, "alone.nomu", std::make_shared<Sine>()); }),
              HasSubstr("this model needs no network"));
}

TEST(Foreign, BoundsStayInTheRangeOfTheRequest) {
  const DataSet data = make_dataset({-0.8, -0.1, 0.4, 0.9}, 1, {1, 2, 0, 1});
  FitRequest request{.settings = {{"train.epochs", "100"}, {"ensemble", "1"}}, .range = {.low = 0.0, .high = 2.0}};
  const auto network = std::make_shared<Sine>();
  const Model model = fit_bounds(request, network, data);
  EXPECT_EQ(model.data().range, request.range);
  const Bounds bounds = model.bounds(std::vector<double>{-0.5, 0.2, 50.0}, 0.99);
  for (std::size_t i = 0; i < bounds.rows(); ++i) {
    EXPECT_GE(bounds.lower[i], 0.0);
    EXPECT_LE(bounds.upper[i], 2.0);
  }
  const DataSet fresh = make_dataset({-0.6, 0.1, 0.6, 0.8, 0.3}, 1, {1, 2, 0, 1, -3});
  EXPECT_THAT(message_of<DataError>([&] { (void)fit_bounds(request, network, data, fresh); }),
              HasSubstr("the target of row 4 (counted from 0) is -3, which is not in its range 0 to 2"));
  request.range = {.low = 0.5, .high = 2.0};
  EXPECT_THAT(message_of<DataError>([&] { (void)fit_bounds(request, network, data); }),
              HasSubstr("the target of row 2 (counted from 0) is 0, which is not in its range 0.5 to 2"));
}

TEST(Foreign, TrainingRowsAreRefusedBeforeTheWork) {
  const DataSet data = make_dataset({-0.8, -0.1, 0.4, 0.9}, 1, {1, 2, 0, 1});
  std::int64_t reports = 0;
  const Progress progress{.report = [&](const ProgressEvent&) { ++reports; }, .stop = {}};
  FitSpec spec;
  spec.method = quick_spec();
  EXPECT_THAT(
      message_of<DataError>([&] { (void)fit_bounds(spec, std::make_shared<Sine>(), data, data, {}, progress); }),
      HasSubstr("all 4 rows are among those the model learned from"));
  EXPECT_EQ(reports, 0);
}

TEST(Foreign, AnEnsembleHasTheMeanVarianceOfItsParts) {
  const auto engine = make_engine({.threads = 1});
  const auto network = std::make_shared<Sine>();
  NomuSpec spec = quick_spec(Noise::learned);
  spec.ensemble = 3;
  spec.train.epochs = 200;
  const auto fitted = fit_sigma(spec, network, line_of_points({1, 2}), *engine);
  const Prediction prediction = fitted->predict(line_probes());
  const auto alone = fit_sigma(spec, network, line_of_points({2}), *engine);
  EXPECT_EQ(alone->predict(line_probes()).sigma_model(0, 5, 0), prediction.sigma_model(1, 5, 0));
  const FittedState state = fitted->state();
  const auto again = restore_sigma(spec, network, state, fitted->reports(), *engine);
  EXPECT_EQ(again->predict(line_probes()).sigma_model, prediction.sigma_model);
  EXPECT_EQ(again->predict(line_probes()).sigma_noise, prediction.sigma_noise);
  // One part after the other, by marking the rest as dropped.
  std::vector<double> variance(6, 0.0);
  for (std::size_t part = 0; part < 3; ++part) {
    FittedState one = state;
    for (FittedState::Block& block : one.blocks) {
      if (!block.name.ends_with("weights")) continue;
      for (std::size_t k = 0; k < 6; ++k) block.values.flat()[k] = k % 3 == part ? 1.0F : 0.0F;
    }
    const auto single = restore_sigma(spec, network, one, fitted->reports(), *engine)->predict(line_probes());
    for (std::size_t i = 0; i < 6; ++i) variance[i] += std::pow(single.sigma_model(0, i, 0), 2) / 3.0;
  }
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(prediction.sigma_model(0, i, 0), std::sqrt(variance[i]), 1e-6) << i;
}

/// The sum of the four pixels of an image, which is also its feature.
class Brightness : public ForeignNetwork {
 public:
  [[nodiscard]] std::size_t inputs() const override { return 4; }
  [[nodiscard]] std::size_t features() const override { return 1; }
  [[nodiscard]] bool reads_inputs() const override { return false; }
  [[nodiscard]] std::vector<std::int64_t> image() const override { return {1, 2, 2}; }
  [[nodiscard]] Evaluation evaluate(const Tensor<float>& x) const override {
    Evaluation answer{.mean = Tensor<float>(1, x.rows(), 1), .features = {}};
    for (std::size_t i = 0; i < x.rows(); ++i) {
      for (const float pixel : x.row(0, i)) answer.mean(0, i, 0) += pixel;
    }
    answer.features = answer.mean;
    return answer;
  }
};

TEST(Foreign, FiltersLookAtTheNetworksImages) {
  const auto engine = make_engine({.device = "cpu", .threads = 1});
  const auto network = std::make_shared<Brightness>();
  const std::vector<std::uint64_t> seeds{1};
  const Cohort cohort = repeat(make_dataset({1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0}, 4, {1, 1, 2}), seeds);
  NomuSpec spec = quick_spec();
  spec.train.epochs = 300;
  // The same brightness in other places: features alone cannot tell, filters can.
  Tensor<float> probes(1, 2, 4);
  probes(0, 0, 0) = 1.0F;
  probes(0, 1, 3) = 1.0F;
  const Prediction blind = fit_sigma(spec, network, cohort, *engine)->predict(probes);
  EXPECT_EQ(blind.sigma_model(0, 0, 0), blind.sigma_model(0, 1, 0));
  spec.sigma_net.convolution.filters = {6};
  spec.sigma_net.convolution.kernel = {2};
  const auto fitted = fit_sigma(spec, network, cohort, *engine);
  const Prediction seeing = fitted->predict(probes);
  EXPECT_LT(2.0F * seeing.sigma_model(0, 0, 0), seeing.sigma_model(0, 1, 0));
  const auto again = restore_sigma(spec, network, fitted->state(), fitted->reports(), *engine);
  EXPECT_EQ(again->predict(probes).sigma_model, seeing.sigma_model);
}

TEST(Foreign, FiltersWithoutImagesAreRefused) {
  const auto engine = make_engine({.device = "cpu", .threads = 1});
  NomuSpec spec = quick_spec();
  spec.sigma_net.convolution.filters = {4};
  const auto refusal = [&](const std::shared_ptr<const ForeignNetwork>& network, const Cohort& cohort) {
    return message_of<ConfigError>([&] { (void)fit_sigma(spec, network, cohort, *engine); });
  };
  EXPECT_THAT(refusal(std::make_shared<Sine>(), line_of_points({1})), HasSubstr("this one reads columns"));
  spec.sigma_net.convolution.image = {4, 1, 1};
  const std::vector<std::uint64_t> seeds{1};
  const Cohort images = repeat(make_dataset({1, 0, 0, 0, 0, 1, 0, 0}, 4, {1, 1}), seeds);
  EXPECT_THAT(refusal(std::make_shared<Brightness>(), images),
              HasSubstr("sigma_net.image is 4 x 1 x 1, but the network reads images of 1 x 2 x 2"));
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

TEST(Foreign, NoiseStaysWithinThatOfTheRows) {
  const auto engine = make_engine({});
  const Cohort rows = line_of_points({1});
  const auto fitted = fit_sigma(quick_spec(Noise::learned), std::make_shared<Sine>(), rows, *engine);
  const auto [least, most] = std::ranges::minmax(fitted->predict(rows.x).sigma_noise.flat());
  Tensor<float> away(1, 200, 1);
  for (std::size_t i = 0; i < away.rows(); ++i) away(0, i, 0) = 0.1F * static_cast<float>(i) - 10.0F;
  const Prediction far = fitted->predict(away);
  for (const float noise : far.sigma_noise.flat()) {
    EXPECT_GE(noise, 0.999F * least);
    EXPECT_LE(noise, 1.001F * most);
  }
}

}  // namespace
}  // namespace nomu
