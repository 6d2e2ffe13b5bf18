// What convolutions promise beyond the cases every engine is tried on, and what is said where they cannot be.

#include <gtest/gtest.h>

#include "conformance/engines.hpp"
#include "conformance/image_cases.hpp"
#include "conformance/same_bytes.hpp"
#include "engine/session.hpp"
#include "message_of.hpp"
#include "nomu/core/error.hpp"

namespace nomu::engine::testing {
namespace {

class Convolutions : public OnEveryEngine {
 protected:
  void SetUp() override {
    OnEveryEngine::SetUp();
    if (GetParam().device == "cuda" && !IsSkipped()) GTEST_SKIP() << "convolutions run on the host";
  }
};

TEST_P(Convolutions, ARowAloneEqualsTheSameRowInABatch) {
  const TrainPlan plan = image_plan(small_front(Pooling::average), Gradient::coupled, 2);
  const auto session = backend_->open(plan);
  session->run(3, {});
  const Tensor<float> probe = expect_rows_alone(*session, 70, plan.networks.inputs);
  EXPECT_EQ(backend_->predict(plan.networks, session->parameters(), probe, {}, plan.seeds),
            session->forward(probe, {}));
}

TEST_P(Convolutions, AContinuedRunEqualsAnUninterruptedOne) {
  for (const Case& c : image_cases()) {
    SCOPED_TRACE(c.name);
    expect_continued(*engine_, c.make(), {2}, 3);
  }
}

TEST_P(Convolutions, AWarmStartBeginsAtTheGivenParameters) {
  TrainPlan plan = image_plan(small_front(), Gradient::stopped);
  plan.learning_rate = 1e-2F;
  const auto first = backend_->open(plan);
  first->run(20, {});
  plan.start = first->parameters();
  const auto second = backend_->open(plan);
  EXPECT_EQ(second->parameters(), plan.start);
  second->run(5, {});
  for (std::size_t m = 0; m < plan.members(); ++m)
    EXPECT_LT(second->reports()[m].first_loss, 0.9 * first->reports()[m].first_loss);
}

TEST_P(Convolutions, AShiftOfTheImageOnlyShiftsTheMap) {
  // Pooled over the whole map, a shift that cuts nothing off leaves nothing to see.
  const Front front{.image = {1, 9, 9}, .windows = {{.filters = 5, .kernel = 3, .padding = 1, .pool = 0}}};
  const TrainPlan plan = image_plan(front, Gradient::coupled, 1);
  Tensor<float> images(1, 2, 81);
  for (std::size_t e = 0; e < 9; ++e) {
    images(0, 0, (3 + e / 3) * 9 + 2 + e % 3) = 0.1F * static_cast<float>(e + 1);
    images(0, 1, (4 + e / 3) * 9 + 3 + e % 3) = 0.1F * static_cast<float>(e + 1);
  }
  const Tensor<float> outputs = backend_->open(plan)->forward(images, {});
  EXPECT_EQ(outputs(0, 0, 0), outputs(0, 1, 0));
  EXPECT_EQ(outputs(0, 0, 1), outputs(0, 1, 1));
}

TEST_P(Convolutions, ImpossibleShapesAreRefused) {
  const auto expect = [&](const std::function<void(Front&)>& change, const std::string& part) {
    const std::string message = message_of<ConfigError>([&] {
      Front front = small_front();
      change(front);
      TrainPlan plan = image_plan(small_front(), Gradient::coupled);
      plan.networks.nets[1].front = front;
      (void)backend_->open(plan);
    });
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  expect([](Front& f) { f.windows[0].kernel = 11; },
         "convolution 1 of net 1, which reads 2 x 6 x 8 (channels, height, width): a kernel of 11 is larger than the "
         "image, which is 8 x 10 with its padding");
  expect([](Front& f) { f.windows[1].kernel = 4; },
         "convolution 2 of net 1, which reads 5 x 3 x 4 (channels, height, width): a kernel of 4 is larger");
  expect([](Front& f) { f.windows[0].pool = 4; }, "a pool of 4 does not divide its map of 6 x 8");
  expect([](Front& f) { f.windows[0].padding = 3; }, "a padding of 3 would leave whole windows");
  expect([](Front& f) { f.windows[1].filters = 0; }, "filters, kernel and stride must be 1 to");
  expect([](Front& f) { f.windows[0].filters = static_cast<std::size_t>(-1); }, "filters, kernel and stride must be");
  expect([](Front& f) { f.windows[0].filters = 1000000; }, "its map of 1000000 x 6 x 8 is too large");
  expect([](Front& f) { f.image.height = 0; }, "the image of net 1 must have 1 to");
  expect([](Front& f) { f.image = {1, 6, 8}; }, "the image of net 1 has 1 x 6 x 8 = 48 values, but rows have 96");
}

NOMU_ON_EVERY_ENGINE(Convolutions);

class ConvolutionsOnAGpu : public OnEveryEngine {};

TEST_P(ConvolutionsOnAGpu, AreRefusedBeforeAnythingStarts) {
  if (GetParam().device != "cuda") GTEST_SKIP() << "the host has them";
  const TrainPlan plan = image_plan(small_front(), Gradient::coupled);
  const auto refused = [](const std::string& message) {
    EXPECT_NE(message.find("[engine/cuda] convolutions run on the CPU only; use --device cpu"), std::string::npos)
        << message;
  };
  refused(message_of<ConfigError>([&] { (void)backend_->open(plan); }));
  refused(message_of<ConfigError>([&] { (void)backend_->members_at_once(plan); }));
  const Tensor<float> parameters(3, 1, make_layout(plan.networks, plan.loss.kind).parameters);
  refused(message_of<ConfigError>([&] { (void)backend_->predict(plan.networks, parameters, plan.x, {}, plan.seeds); }));
}

NOMU_ON_EVERY_ENGINE(ConvolutionsOnAGpu);

}  // namespace
}  // namespace nomu::engine::testing
