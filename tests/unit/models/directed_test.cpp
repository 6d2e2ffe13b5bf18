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

DirectedSpec one_sided(Sides sides) {
  DirectedSpec spec;
  spec.mean_net.hidden = spec.bound_net.hidden = {32, 32};
  spec.train.epochs = 1000;
  spec.sides = sides;
  return spec;
}

TEST(Directed, OneBoundIsThatBoundOfTwo) {
  const auto engine = make_engine({});
  const Prediction both = fit(MethodSpec{one_sided(Sides::both)}, line_of_points({1}), *engine)->predict(line_probes());
  for (const Sides sides : {Sides::upper, Sides::lower}) {
    const MethodSpec spec{one_sided(sides)};
    const auto fitted = fit(spec, line_of_points({1}), *engine);
    const Prediction prediction = fitted->predict(line_probes());
    EXPECT_TRUE(prediction.sigma_below.empty()) << "the other side is as wide";
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_LT(prediction.sigma_model(0, i, 0), 0.5F * prediction.sigma_model(0, 5, 0)) << i;
    const auto again = restore(spec, fitted->state(), fitted->reports(), *engine);
    EXPECT_EQ(again->predict(line_probes()).sigma_model, prediction.sigma_model);
    // The networks of mean and upper bound start from the same numbers and do not see the lower one.
    if (sides == Sides::upper) {
      EXPECT_NEAR(prediction.sigma_model(0, 5, 0), both.sigma_model(0, 5, 0), 1e-3F);
    }
  }
  expect_members_apart_and_state(one_sided(Sides::upper));
}

TEST(Directed, AsPrintedTheBoundsThemselvesAreLifted) {
  const auto engine = make_engine({});
  DirectedSpec spec = one_sided(Sides::both);
  spec.lift = Lift::as_printed;
  spec.c_exp = 1.0;
  const Prediction printed = fit(MethodSpec{spec}, line_of_points({1}), *engine)->predict(line_probes());
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(printed.mean(0, i, 0), std::sin(3.0F * line_probes()(0, i, 0)), 0.05F);
    EXPECT_LT(printed.sigma_model(0, i, 0), 0.5F * printed.sigma_model(0, 5, 0)) << i;
    EXPECT_LT(printed.sigma_below(0, i, 0), 0.5F * printed.sigma_below(0, 5, 0)) << i;
  }
  spec.lift = Lift::from_mean;
  const Prediction lifted = fit(MethodSpec{spec}, line_of_points({1}), *engine)->predict(line_probes());
  EXPECT_NE(lifted.sigma_model, printed.sigma_model);
  EXPECT_EQ(lifted.mean, printed.mean) << "bounds do not reach the mean";
}

TEST(Directed, NewSettingsChangeNoKey) {
  DirectedSpec spec;
  for (const char* name : {"sides", "lift", "readout.weights"})
    EXPECT_FALSE(fields_of(spec).find(name).in_keys()) << name;
  fields_of(spec).set_text("sides", "lower");
  EXPECT_EQ(spec.sides, Sides::lower);
  EXPECT_TRUE(fields_of(spec).find("sides").in_keys());
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
