#include "nomu/models/directed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "message_of.hpp"
#include "nomu/core/error.hpp"
#include "nomu/models/method.hpp"
#include "unit/models/small_problems.hpp"

namespace nomu {
namespace {

TEST(Directed, BoundsMeetAtTheDataAndPartElsewhere) {
  const auto engine = make_engine({});
  DirectedSpec spec;
  spec.mean_net.hidden = spec.bound_net.hidden = {32, 32};
  spec.train.epochs = 1000;
  const auto fitted = fit(MethodSpec{spec}, line_of_points({1, 2}), *engine);
  const Prediction prediction = fitted->predict(line_probes());
  for (std::size_t m = 0; m < 2; ++m) {
    EXPECT_FALSE(fitted->reports()[m].diverged);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(prediction.mean(m, i, 0), std::sin(3.0F * line_probes()(0, i, 0)), 0.05F);
      EXPECT_LT(prediction.sigma_model(m, i, 0), 0.5F * prediction.sigma_model(m, 5, 0)) << m << " " << i;
      EXPECT_LT(prediction.sigma_below(m, i, 0), 0.5F * prediction.sigma_below(m, 5, 0)) << m << " " << i;
    }
    EXPECT_NE(prediction.sigma_below(m, 5, 0), prediction.sigma_model(m, 5, 0));
  }
  const auto again = restore(MethodSpec{spec}, fitted->state(), fitted->reports(), *engine);
  EXPECT_EQ(again->predict(line_probes()).sigma_below, prediction.sigma_below);
}

TEST(Directed, IsAMethodWithFields) {
  MethodSpec spec = method_named("directed");
  EXPECT_EQ(method_title(spec), "NOMU directed");
  fields_of(spec).set_text("bound_net.hidden", "8");
  EXPECT_EQ(std::get<DirectedSpec>(spec).bound_net.hidden, std::vector<std::int64_t>{8});
  std::get<DirectedSpec>(spec).bound_net.hidden = {-1};
  const auto engine = make_engine({});
  EXPECT_THAT(message_of<ConfigError>([&] { (void)fit(spec, line_of_points({1}), *engine); }),
              testing::HasSubstr("[models/directed] hidden layers need at least one unit, got -1"));
}

}  // namespace
}  // namespace nomu
