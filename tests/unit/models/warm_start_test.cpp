#include "nomu/models/warm_start.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "message_of.hpp"
#include "unit/models/small_problems.hpp"

namespace nomu {
namespace {

using testing::HasSubstr;

NomuSpec joint_spec() {
  NomuSpec spec = quick_spec();
  spec.stages = Stages::joint;
  return spec;
}

float worst_error(const FittedCohort& model, const Cohort& cohort, std::size_t member) {
  const Prediction p = model.predict(cohort.x);
  float worst = 0.0F;
  for (std::size_t i = 0; i < cohort.rows(); ++i) {
    worst = std::max(worst, std::abs(p.mean(member, i, 0) - cohort.y(member, i, 0)));
  }
  return worst;
}

TEST(WarmStart, AFewEpochsSuffice) {
  const auto engine = make_engine({.threads = 1});
  const Cohort cohort = line_of_points({1, 2});
  const auto before = fit(joint_spec(), cohort, *engine);
  NomuSpec few = joint_spec();
  few.train.epochs = 5;
  const auto on = continue_fit(few, *before, line_of_points({3, 4}), *engine);
  const auto anew = fit(few, line_of_points({3, 4}), *engine);
  for (const std::size_t member : {0U, 1U}) {
    EXPECT_LT(worst_error(*on, cohort, member), 0.3F * worst_error(*anew, cohort, member));
  }
}

TEST(WarmStart, WhatIsNotFiniteStartsAnew) {
  const auto engine = make_engine({.threads = 1});
  NomuSpec spec = joint_spec();
  spec.train.epochs = 20;
  const Cohort cohort = line_of_points({1, 2});
  const auto anew = fit(spec, cohort, *engine);
  FittedState before = anew->state();
  for (FittedState::Block& block : before.blocks) {
    if (block.name == "parameters") block.values(1, 0, 3) = std::numeric_limits<float>::quiet_NaN();
  }
  const auto broken = restore(MethodSpec{spec}, before, anew->reports(), *engine);
  const Prediction on = continue_fit(spec, *broken, cohort, *engine)->predict(line_probes());
  const Prediction expected = anew->predict(line_probes());
  EXPECT_TRUE(std::ranges::equal(on.mean.member(1), expected.mean.member(1)));
  EXPECT_FALSE(std::ranges::equal(on.mean.member(0), expected.mean.member(0)));
}

TEST(WarmStart, WrongInputIsNamed) {
  const auto engine = make_engine({.threads = 1});
  NomuSpec spec = joint_spec();
  spec.train.epochs = 2;
  const auto before = fit(spec, line_of_points({1}), *engine);
  EXPECT_THAT(message_of([&] {
                return continue_fit(spec, *before, line_of_points({1, 2}), *engine);
              }),
              HasSubstr("both must have the same networks"));
  EXPECT_THAT(message_of<ConfigError>([&] { return continue_fit(GpSpec{}, *before, line_of_points({1}), *engine); }),
              HasSubstr("gp cannot continue from an earlier fit"));
  spec.stages = Stages::two_stage;
  EXPECT_FALSE(can_continue(spec));
}

}  // namespace
}  // namespace nomu
