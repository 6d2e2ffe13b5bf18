// Several dropout passes in one prediction are those passes one by one.

#include <gtest/gtest.h>

#include "conformance/cases.hpp"
#include "conformance/engines.hpp"
#include "engine/session.hpp"

namespace nomu::engine::testing {
namespace {

class Passes : public OnEveryEngine {};

TEST_P(Passes, TogetherAreThoseOneByOne) {
  for (const Case& c : all_cases()) {
    if (std::string_view(c.name) != "dropout") continue;
    const TrainPlan plan = c.make();
    const auto session = backend_->open(plan);
    session->run(2, {});
    const Tensor<float> parameters = session->parameters();
    const auto predict = [&](std::uint32_t pass, std::uint32_t passes) {
      return backend_->predict(plan.networks, parameters, plan.x, {.active = true, .pass = pass, .passes = passes},
                               plan.seeds);
    };
    const Tensor<float> together = predict(4, 3);
    const std::size_t size = plan.x.rows() * together.cols();
    ASSERT_EQ(together.rows(), 3 * plan.x.rows());
    for (std::uint32_t p = 0; p < 3; ++p) {
      const Tensor<float> alone = predict(4 + p, 1);
      for (std::size_t m = 0; m < plan.members(); ++m) {
        EXPECT_TRUE(std::ranges::equal(together.member(m).subspan(p * size, size), alone.member(m)));
      }
    }
    return;
  }
  FAIL() << "no case with dropout";
}

NOMU_ON_EVERY_ENGINE(Passes);

}  // namespace
}  // namespace nomu::engine::testing
