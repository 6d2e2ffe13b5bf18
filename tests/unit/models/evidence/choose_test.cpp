#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "models/evidence/mean_stage.hpp"
#include "nomu/core/random.hpp"

namespace nomu {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

/// Targets, and candidates that are off by known errors.
class Choose : public testing::Test {
 public:
  Choose() {
    Random random(8);
    for (std::size_t i = 0; i < 60; ++i) {
      all.push_back(i);
      targets.push_back(random.normal());
      error.push_back(random.normal());
    }
  }

  [[nodiscard]] std::vector<double> off_by(double factor) const {
    std::vector<double> values = targets;
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += factor * error[i];
    return values;
  }

  std::vector<std::size_t> all;
  std::vector<double> targets;
  std::vector<double> error;
};

TEST_F(Choose, TheBestComesFirst) {
  const std::vector<std::vector<double>> unseen{off_by(1.0), off_by(0.2), off_by(0.5)};
  const Chosen chosen = choose(unseen, targets, all, 1, 2);
  EXPECT_THAT(chosen.candidates, ElementsAre(1));
  EXPECT_THAT(chosen.weights, ElementsAre(1.0));
}

TEST_F(Choose, RowsCountByTheirWeights) {
  // The first candidate is wrong in the first half only, the second, by less, in the other one.
  std::vector<std::vector<double>> unseen{targets, targets};
  std::vector<double> weights(60, 1.0);
  for (std::size_t i = 0; i < 30; ++i) {
    unseen[0][i] += 1.0;
    unseen[1][30 + i] += 0.5;
    weights[i] = 0.01;
  }
  EXPECT_THAT(choose(unseen, targets, all, 1, 2).candidates, ElementsAre(1));
  EXPECT_THAT(choose(unseen, targets, all, 1, 2, weights).candidates, ElementsAre(0));
  EXPECT_THAT(choose(unseen, targets, all, 1, 2, std::vector<double>(60, 7.0)).candidates, ElementsAre(1));
}

TEST_F(Choose, ErrorsThatCancelAreMixed) {
  const std::vector<std::vector<double>> unseen{off_by(-0.6), off_by(0.5), off_by(0.4)};
  const Chosen chosen = choose(unseen, targets, all, 2, 2);
  EXPECT_THAT(chosen.candidates, ElementsAre(2, 0));
  EXPECT_THAT(chosen.weights, ElementsAre(DoubleNear(0.6, 1e-9), DoubleNear(0.4, 1e-9)));
  const std::vector<double> mixed = chosen.mixed(unseen);
  for (std::size_t i = 0; i < mixed.size(); ++i) EXPECT_NEAR(mixed[i], targets[i], 1e-9);
}

TEST_F(Choose, WhatDoesNotHelpGetsNoWeight) {
  const std::vector<std::vector<double>> unseen{off_by(0.1), off_by(5.0)};
  const Chosen chosen = choose(unseen, targets, all, 2, 2);
  EXPECT_THAT(chosen.candidates, ElementsAre(0, 1));
  EXPECT_THAT(chosen.weights, ElementsAre(1.0, 0.0));
}

TEST_F(Choose, NumbersThatAreNotFiniteNeverCount) {
  std::vector<std::vector<double>> unseen{off_by(1.0), off_by(0.5)};
  unseen[0][3] = std::nan("");
  const Chosen chosen = choose(unseen, targets, all, 2, 2);
  EXPECT_THAT(chosen.candidates, ElementsAre(1, 0));
  EXPECT_THAT(chosen.weights, ElementsAre(1.0, 0.0));
  for (const double value : chosen.mixed(unseen)) EXPECT_TRUE(std::isfinite(value));
}

TEST_F(Choose, RowsThatDoNotJudgeHaveNoSay) {
  std::vector<std::vector<double>> unseen{off_by(1.0), off_by(0.5)};
  for (std::size_t i = 0; i < 30; ++i) unseen[1][i] += 10.0;
  EXPECT_THAT(choose(unseen, targets, all, 1, 2).candidates, ElementsAre(0));
  const std::vector<std::size_t> second_half(all.begin() + 30, all.end());
  EXPECT_THAT(choose(unseen, targets, second_half, 1, 2).candidates, ElementsAre(1));
}

TEST_F(Choose, NoMoreThanThereAre) {
  const std::vector<std::vector<double>> unseen{off_by(1.0)};
  EXPECT_THAT(choose(unseen, targets, all, 3, 2).candidates, ElementsAre(0));
}

}  // namespace
}  // namespace nomu
