// Networks that are asked again and again give what they give when asked once, wherever their parameters stay.

#include <gtest/gtest.h>

#include "conformance/cases.hpp"
#include "conformance/engines.hpp"
#include "engine/predictor.hpp"
#include "nomu/core/error.hpp"

namespace nomu::engine::testing {
namespace {

class Repeated : public OnEveryEngine {};

TEST_P(Repeated, PredictionsAreThoseOfOneQuestion) {
  for (const Case& c : all_cases()) {
    const bool drops = std::string_view(c.name) == "dropout";
    if (!drops && std::string_view(c.name) != "nomu_coupled") continue;
    const TrainPlan plan = c.make();
    const auto session = backend_->open(plan);
    session->run(2, {});
    const Tensor<float> parameters = session->parameters();
    const DropoutPass dropout{.active = drops, .pass = 3, .passes = 2};
    RepeatedPredictions ask;
    // One row after many, and many after one: what was made ready for the question before serves or is made anew.
    for (const std::size_t rows :
         {std::size_t{300}, std::size_t{1}, std::size_t{70}, std::size_t{40}, std::size_t{300}}) {
      Tensor<float> x(plan.members(), rows, plan.networks.inputs);
      for (std::size_t i = 0; i < x.flat().size(); ++i) x.flat()[i] = static_cast<float>(i % 7) / 7.0F;
      EXPECT_EQ(ask(*engine_, plan.networks, parameters, x, dropout, plan.seeds),
                backend_->predict(plan.networks, parameters, x, dropout, plan.seeds))
          << c.name << ", " << rows << " rows";
    }
    EXPECT_THROW((void)ask(*engine_, plan.networks, parameters, Tensor<float>(1, 2, plan.networks.inputs + 1)),
                 ConfigError)
        << c.name;
  }
}

NOMU_ON_EVERY_ENGINE(Repeated);

}  // namespace
}  // namespace nomu::engine::testing
