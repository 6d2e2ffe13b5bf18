#include "models/evidence/rows/trend.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <numeric>

#include "models/evidence/rows/inner_folds.hpp"
#include "nomu/core/random.hpp"

namespace nomu {
namespace {

using testing::Each;

std::vector<std::size_t> all_rows(const DataSet& data) {
  std::vector<std::size_t> rows(data.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

/// y = 2 + 3 x1 - x2 + noise, further columns do not count.
DataSet line(std::size_t rows, std::size_t cols, double noise) {
  Random random(3);
  std::vector<double> inputs;
  std::vector<double> targets;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < cols; ++j) inputs.push_back(random.normal());
    targets.push_back(2.0 + 3.0 * inputs[i * cols] - inputs[i * cols + 1] + noise * random.normal());
  }
  return make_dataset(inputs, cols, targets);
}

/// The same by solving linear equations for each penalty.
Trend by_equations(const DataSet& data) {
  const auto n = static_cast<Eigen::Index>(data.rows());
  const auto d = static_cast<Eigen::Index>(data.cols());
  Eigen::MatrixXd x(n, d);
  Eigen::VectorXd y(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    y(i) = data.targets[static_cast<std::size_t>(i)];
    for (Eigen::Index j = 0; j < d; ++j) x(i, j) = data.row(static_cast<std::size_t>(i))[static_cast<std::size_t>(j)];
  }
  const Eigen::RowVectorXd means = x.colwise().mean();
  const double mean = y.mean();
  x.rowwise() -= means;
  y.array() -= mean;
  const auto weight = static_cast<double>(n);
  double best = std::numeric_limits<double>::infinity();
  Eigen::VectorXd slopes = Eigen::VectorXd::Zero(d);
  for (int half_exponent = -10; half_exponent <= 4; ++half_exponent) {
    const double penalty = weight * std::pow(10.0, 0.5 * half_exponent);
    const Eigen::MatrixXd inverse =
        (x.transpose() * x + penalty * Eigen::MatrixXd::Identity(d, d)).ldlt().solve(x.transpose());
    const Eigen::VectorXd tried = inverse * y;
    const double freedom = 1.0 + (x * inverse).trace();
    if (freedom > 0.9 * weight) continue;
    const double score = (y - x * tried).squaredNorm() / std::pow(weight - freedom, 2);
    if (score >= best) continue;
    best = score;
    slopes = tried;
  }
  return {.intercept = mean - means.dot(slopes), .slopes = {slopes.begin(), slopes.end()}};
}

TEST(FitTrend, FindsALine) {
  const DataSet data = line(200, 3, 0.0);
  const Trend trend = fit_trend(data, all_rows(data), true);
  EXPECT_NEAR(trend.intercept, 2.0, 1e-3);
  EXPECT_NEAR(trend.slopes[0], 3.0, 1e-3);
  EXPECT_NEAR(trend.slopes[1], -1.0, 1e-3);
  EXPECT_NEAR(trend.slopes[2], 0.0, 1e-3);
  EXPECT_NEAR(trend.at(std::vector<double>{1.0, 2.0, 5.0}), 3.0, 1e-2);
}

TEST(FitTrend, IsTheSameForFewAndForManyRows) {
  for (const std::size_t rows : {60U, 25U, 12U}) {  // 20 columns: narrow, nearly square, wide
    const DataSet data = line(rows, 20, 1.0);
    const Trend trend = fit_trend(data, all_rows(data), true);
    const Trend expected = by_equations(data);
    EXPECT_NEAR(trend.intercept, expected.intercept, 1e-8) << rows;
    for (std::size_t j = 0; j < 20; ++j) EXPECT_NEAR(trend.slopes[j], expected.slopes[j], 1e-8) << rows;
  }
}

TEST(FitTrend, KeepsToItsRowsAndTheirWeights) {
  DataSet data = line(120, 2, 0.5);
  std::vector<std::size_t> some(all_rows(data));
  some.resize(50);
  const Trend alone = fit_trend(subset(data, some), all_rows(subset(data, some)), true);
  EXPECT_EQ(fit_trend(data, some, true).slopes, alone.slopes);
  data.row_weight.assign(120, 0.0);
  std::fill_n(data.row_weight.begin(), 50, 1.0);
  EXPECT_NEAR(fit_trend(data, all_rows(data), true).slopes[0], alone.slopes[0], 1e-10);
}

TEST(FitTrend, DependsOnTheRatiosOfWeightsAlone) {
  DataSet data = line(60, 2, 0.5);
  const Trend plain = fit_trend(data, all_rows(data), true);
  for (const double weight : {1e-3, 100.0}) {
    data.row_weight.assign(60, weight);
    EXPECT_NEAR(fit_trend(data, all_rows(data), true).slopes[0], plain.slopes[0], 1e-10) << weight;
  }
}

TEST(FitTrend, IsAConstantIfItMayNotBeLinear) {
  const DataSet data = line(50, 2, 0.1);
  const Trend trend = fit_trend(data, all_rows(data), false);
  EXPECT_THAT(trend.slopes, Each(0.0));
  EXPECT_NEAR(trend.intercept, std::accumulate(data.targets.begin(), data.targets.end(), 0.0) / 50.0, 1e-12);
  const DataSet many = line(30, 500, 0.1);
  EXPECT_THAT(fit_trend(many, all_rows(many), true).slopes, Each(0.0));
}

TEST(PromisingWarp, IsFoundWhereItStraightensTheTarget) {
  DataSet data = line(200, 2, 0.3);
  const std::vector<Split> folds = inner_folds(data, 5, 1);
  EXPECT_FALSE(promising_warp(data, folds, 2).active());
  for (double& target : data.targets) target = std::exp(target);
  const Warp skewed = promising_warp(data, folds, 2);
  EXPECT_TRUE(skewed.active());
  EXPECT_EQ(skewed.centre, 0.0);
  for (double& target : data.targets) target = 20.0 * std::sinh(std::log(target) - 2.0);
  const Warp heavy = promising_warp(data, folds, 2);
  EXPECT_TRUE(heavy.active());
  EXPECT_NE(heavy.centre, 0.0);
}

TEST(LinearLoss, IsSmallerWhereLinesPredictBetter) {
  const DataSet near = line(200, 2, 0.3);
  const DataSet far = line(200, 2, 3.0);
  const std::vector<Split> folds = inner_folds(near, 5, 1);
  EXPECT_NEAR(linear_loss(linear_errors(near, folds, 2)), std::log(0.3), 0.1);
  EXPECT_NEAR(linear_loss(linear_errors(far, folds, 2)), std::log(3.0), 0.1);
}

}  // namespace
}  // namespace nomu
