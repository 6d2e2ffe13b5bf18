#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "message_of.hpp"
#include "models/network/mixture.hpp"
#include "nomu/models/method.hpp"
#include "small_problems.hpp"

namespace nomu {
namespace {

using testing::HasSubstr;

const NetworkHead example{.noise_scale = 2.0,
                          .noise_low = 0.25,
                          .noise_high = 0.75,
                          .noise_far = 0.5,
                          .raw_near = 0.1,
                          .raw_far = 0.6,
                          .sigma_far = 0.8,
                          .power = 2.0,
                          .start = 0.0};

/// Of a raw sigma, of one network.
double distance_of(const NetworkHead& head, double raw) { return head.distance(head.share(raw)); }

TEST(NetworkHead, DistanceRisesFromTheDataToArtificialPoints) {
  EXPECT_EQ(distance_of(example, 0.0), 0.0);
  EXPECT_EQ(distance_of(example, 0.1), 0.0);
  EXPECT_NEAR(distance_of(example, 0.35), 0.25, 1e-12);
  EXPECT_NEAR(distance_of(example, 0.6), 1.0, 1e-12);
  EXPECT_NEAR(distance_of(example, 0.7), 1.2, 1e-12) << "beyond, the power no longer counts";
  EXPECT_NEAR(distance_of(example, 100.0), 1.5, 1e-12) << "never more";
  EXPECT_NEAR(example.sigma(distance_of(example, 0.6)), 0.8, 1e-12);
}

TEST(NetworkHead, DistanceMayBeginAwayFromTheData) {
  NetworkHead late = example;
  late.power = 1.0;
  late.start = 0.5;
  EXPECT_EQ(distance_of(late, 0.35), 0.0) << "half the way";
  EXPECT_NEAR(distance_of(late, 0.475), 0.5, 1e-12);
  EXPECT_NEAR(distance_of(late, 0.6), 1.0, 1e-12);
}

TEST(NetworkHead, NoiseIsLimitedAtTheDataAndTendsToThatOfAllRows) {
  EXPECT_DOUBLE_EQ(example.noise(0.2, 0.0), 0.4) << "the factor";
  EXPECT_DOUBLE_EQ(example.noise(0.01, 0.0), 0.25);
  EXPECT_DOUBLE_EQ(example.noise(10.0, 0.0), 0.75);
  EXPECT_DOUBLE_EQ(example.noise(0.2, 1.0), 0.5);
  EXPECT_DOUBLE_EQ(example.noise(0.2, 2.0), 0.5) << "farther than far is far";
  EXPECT_DOUBLE_EQ(example.noise(10.0, 1.0), 0.75) << "noise that is larger stays";
  EXPECT_NEAR(example.noise(0.2, 0.5), std::sqrt(0.5 * 0.16 + 0.5 * 0.25), 1e-12);
}

TEST(NetworkHead, IsStoredInSinglePrecision) {
  std::vector<float> numbers(NetworkHead::size);
  example.store(numbers);
  const NetworkHead again = NetworkHead::load(numbers);
  for (const auto field : {&NetworkHead::noise_scale, &NetworkHead::noise_low, &NetworkHead::noise_high,
                           &NetworkHead::noise_far, &NetworkHead::raw_near, &NetworkHead::raw_far,
                           &NetworkHead::sigma_far, &NetworkHead::power, &NetworkHead::start})
    EXPECT_EQ(again.*field, static_cast<double>(static_cast<float>(example.*field)));
}

/// Two networks at one row, with weights 1 and 3: the mixture, and what it is made of.
struct TwoHeads {
  OutputMap map{.sigma = OutputMap::Sigma::readout, .noise = OutputMap::Noise::output, .noise_floor = 0.01};
  NetworkHead other = [] {
    NetworkHead head = example;
    head.raw_near = 0.0;
    return head;
  }();
  double means[2] = {11.0, 22.0};
  double shares[2] = {example.share(0.35), other.share(0.3)};
  double noises[2] = {noise_of(map, -1.0F), noise_of(map, 0.5F)};

  [[nodiscard]] Prediction mixed(std::vector<NetworkHead> shapes) const {
    const std::vector<float> first{1.0F, -1.0F, 0.35F};  // f, raw noise, raw sigma of one row
    const std::vector<float> second{2.0F, 0.5F, 0.3F};
    Mixture mixture(map, 1, 1, std::move(shapes));
    mixture.add(0, {.first = 0, .count = 1}, first, 1.0, example, std::vector<double>{10.0});
    mixture.add(0, {.first = 0, .count = 1}, second, 3.0, other, std::vector<double>{20.0});
    return mixture.prediction();
  }
  [[nodiscard]] static double average(double one, double two) { return (one + 3.0 * two) / 4.0; }
  [[nodiscard]] double spread() const {
    const double mean = average(means[0], means[1]);
    return average(std::pow(means[0] - mean, 2), std::pow(means[1] - mean, 2));
  }
};

TEST(NetworkHead, AMixtureReadsTheMeanOfTheShares) {
  const TwoHeads two;
  NetworkHead shape = example;
  shape.start = 0.3;
  const Prediction made = two.mixed({shape});
  const double distance = shape.distance(TwoHeads::average(two.shares[0], two.shares[1]));
  const auto noise = [&](double at) {
    return TwoHeads::average(std::pow(example.noise(two.noises[0], at), 2),
                             std::pow(example.noise(two.noises[1], at), 2));
  };
  EXPECT_NEAR(made.mean(0, 0, 0), TwoHeads::average(two.means[0], two.means[1]), 1e-5);
  EXPECT_NEAR(made.sigma_model(0, 0, 0), std::sqrt(std::pow(0.8 * distance, 2) + two.spread()), 1e-5);
  EXPECT_NEAR(made.sigma_noise(0, 0, 0), std::sqrt(noise(distance)), 1e-6);
}

TEST(NetworkHead, OneNetworkOfManyDoesNotDecideThatARowIsFar) {
  const OutputMap map{.sigma = OutputMap::Sigma::readout, .noise = OutputMap::Noise::output, .noise_floor = 0.01};
  NetworkHead shape = example;
  shape.start = 0.2;
  Mixture mixture(map, 1, 1, {shape});
  for (int k = 0; k < 10; ++k) {
    const std::vector<float> outputs{1.0F, -1.0F, k == 0 ? 5.0F : 0.1F};
    mixture.add(0, {.first = 0, .count = 1}, outputs, 1.0, shape, std::vector<double>{0.0});
  }
  EXPECT_EQ(mixture.prediction().sigma_model(0, 0, 0), 0.0F);
}

TEST(NetworkHead, WithoutShapesVariancesAreAveraged) {
  const TwoHeads two;
  const Prediction made = two.mixed({});
  const double distances[] = {example.distance(two.shares[0]), two.other.distance(two.shares[1])};
  const auto noise = [&](int k) { return std::pow(example.noise(two.noises[k], distances[k]), 2); };
  const double variance = TwoHeads::average(std::pow(0.8 * distances[0], 2), std::pow(0.8 * distances[1], 2));
  EXPECT_NEAR(made.sigma_model(0, 0, 0), std::sqrt(variance + two.spread()), 1e-5);
  EXPECT_NEAR(made.sigma_noise(0, 0, 0), std::sqrt(TwoHeads::average(noise(0), noise(1))), 1e-6);
}

/// Networks with learned noise whose file can be given heads and steps.
class StoredHeads : public testing::Test {
 public:
  StoredHeads() {
    spec.train.epochs = 5;
    const auto fitted = fit(spec, pack(std::vector<DataSet>{sine_rows(12)}, std::vector<std::uint64_t>{1}), *engine);
    reports = fitted->reports();
    state = fitted->state();
    Tensor<float> head(1, 1, NetworkHead::size);
    example.store(head.flat());
    state.blocks.push_back({.name = "heads", .values = head});
    state.blocks.push_back({.name = "trend", .values = Tensor<float>(1, 1, 2)});
    state.blocks.back().values(0, 0, 0) = 100.0F;
  }

  [[nodiscard]] std::string refusal(const std::string& block, const std::function<void(Tensor<float>&)>& change) const {
    FittedState changed = state;
    for (auto& [name, values] : changed.blocks) {
      if (name == block) change(values);
    }
    return message_of<DataError>([&] { return restore(spec, changed, reports, *engine); });
  }

  NomuSpec spec = quick_spec(Noise::learned);
  std::shared_ptr<Engine> engine = make_engine({.device = "reference"});
  std::vector<FitReport> reports;
  FittedState state;
};

TEST_F(StoredHeads, ComeBackFromAFile) {
  const auto restored = restore(spec, state, reports, *engine);
  EXPECT_EQ(restored->state(), state);
  const Prediction made = restored->predict(points({-0.5F, 5.0F}));
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_GT(made.mean(0, i, 0), 50.0F) << "the trend";
    EXPECT_GE(made.sigma_noise(0, i, 0), 0.25F);
    EXPECT_LE(made.sigma_noise(0, i, 0), 0.75F);
    EXPECT_LE(made.sigma_model(0, i, 0), 0.8F * 2.25F);
  }
}

TEST_F(StoredHeads, OfOlderFilesHaveNoStart) {
  FittedState older = state;
  for (auto& [name, values] : older.blocks) {
    if (name != "heads") continue;
    Tensor<float> numbers(1, 1, NetworkHead::size_without_start);
    std::ranges::copy(values.flat().first(NetworkHead::size_without_start), numbers.flat().begin());
    values = numbers;
  }
  const Tensor<float> x = points({-0.5F, 5.0F});
  EXPECT_EQ(restore(spec, older, reports, *engine)->state(), older);
  // A single network that begins at the data says the same either way.
  const Prediction today = restore(spec, state, reports, *engine)->predict(x);
  const Prediction before = restore(spec, older, reports, *engine)->predict(x);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_FLOAT_EQ(before.sigma_model(0, i, 0), today.sigma_model(0, i, 0));
    EXPECT_FLOAT_EQ(before.sigma_noise(0, i, 0), today.sigma_noise(0, i, 0));
  }
}

TEST_F(StoredHeads, WrongNumbersAreRefused) {
  const auto set = [](std::size_t place, float value) {
    return [=](Tensor<float>& block) { block.flat()[place] = value; };
  };
  EXPECT_THAT(refusal("heads", set(5, 0.1F)), HasSubstr("the head of a network is invalid")) << "far is not farther";
  EXPECT_THAT(refusal("heads", set(1, 0.9F)), HasSubstr("the head of a network is invalid")) << "least above largest";
  EXPECT_THAT(refusal("heads", set(7, std::nanf(""))), HasSubstr("the head of a network is invalid"));
  EXPECT_THAT(refusal("heads", set(6, -1.0F)), HasSubstr("the head of a network is invalid"));
  EXPECT_THAT(refusal("heads", set(8, 1.0F)), HasSubstr("the head of a network is invalid")) << "begins where far is";
  EXPECT_THAT(refusal("heads", [](Tensor<float>& block) { block = Tensor<float>(1, 1, 2); }),
              HasSubstr("block 'heads' has shape"));
  EXPECT_THAT(refusal("trend", [](Tensor<float>& block) { block = Tensor<float>(1, 1, 3); }),
              HasSubstr("block 'trend' has shape"));
}

}  // namespace
}  // namespace nomu
