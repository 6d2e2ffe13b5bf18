#include "paper/figures/worst_case.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace nomu {

Gain identity_gain() {
  return {.value = [](double z) { return z; },
          .slope = [](double) { return 1.0; },
          .curvature = [](double) { return 0.0; }};
}

Gain exponential_gain(double c) {
  return {.value = [c](double z) { return -std::exp(-c * z); },
          .slope = [c](double z) { return c * std::exp(-c * z); },
          .curvature = [c](double z) { return -c * c * std::exp(-c * z); }};
}

SmoothClass::SmoothClass(std::size_t size, std::vector<std::size_t> data) {
  std::ranges::sort(data);
  for (std::size_t i = 0; i < size; ++i) {
    grid_.push_back(-1.0 + 2.0 * static_cast<double>(i) / static_cast<double>(size - 1));
    if (!std::ranges::binary_search(data, i)) free_.push_back(i);
  }
}

/// Half the second derivatives of the penalty by the values at the free points, [f][f].
Eigen::MatrixXd SmoothClass::penalty_matrix() const {
  const auto size = static_cast<Eigen::Index>(grid_.size());
  Eigen::MatrixXd bends = Eigen::MatrixXd::Zero(size - 2, size);
  for (Eigen::Index i = 0; i + 2 < size; ++i) bends.row(i).segment(i, 3) << 1.0, -2.0, 1.0;
  Eigen::MatrixXd free(size - 2, static_cast<Eigen::Index>(free_.size()));
  for (std::size_t f = 0; f < free_.size(); ++f)
    free.col(static_cast<Eigen::Index>(f)) = bends.col(static_cast<Eigen::Index>(free_[f]));
  return std::pow(step(), -3) * free.transpose() * free;
}

std::vector<double> SmoothClass::on_grid(const Eigen::VectorXd& free) const {
  std::vector<double> function(grid_.size());
  for (std::size_t f = 0; f < free_.size(); ++f) function[free_[f]] = free[static_cast<Eigen::Index>(f)];
  return function;
}

double SmoothClass::penalty(const std::vector<double>& function) const {
  double sum = 0.0;
  for (std::size_t i = 0; i + 2 < function.size(); ++i)
    sum += std::pow(function[i] - 2.0 * function[i + 1] + function[i + 2], 2);
  return sum * std::pow(step(), -3);  // second differences over step^2, squared, times the step of the integral
}

std::vector<double> SmoothClass::pointwise() const {
  // Under z^T A z <= 1 the largest z_j is the root of (A^-1)_jj, by Cauchy and Schwarz.
  const Eigen::MatrixXd matrix = penalty_matrix();
  const Eigen::MatrixXd inverse = matrix.llt().solve(Eigen::MatrixXd::Identity(matrix.rows(), matrix.cols()));
  return on_grid(inverse.diagonal().cwiseSqrt());
}

std::vector<double> SmoothClass::maximiser(const Gain& u, double weight) const {
  constexpr int most_rounds = 200;
  const Eigen::MatrixXd matrix = 2.0 * weight * penalty_matrix();
  Eigen::VectorXd z = Eigen::VectorXd::Zero(matrix.rows());
  const auto objective = [&](const Eigen::VectorXd& at) {
    return step() * at.unaryExpr(u.value).sum() - 0.5 * at.dot(matrix * at);
  };
  // Newton's method with halved steps; the objective is strictly concave.
  for (int round = 0; round < most_rounds; ++round) {
    const Eigen::VectorXd slope = step() * z.unaryExpr(u.slope) - matrix * z;
    Eigen::MatrixXd bend = matrix;
    bend.diagonal() -= step() * z.unaryExpr(u.curvature);
    const Eigen::VectorXd move = bend.llt().solve(slope);
    double share = 1.0;
    while (share > 1e-9 && !(objective(z + share * move) > objective(z))) share *= 0.5;
    if (share <= 1e-9) break;
    z += share * move;
  }
  return on_grid(z);
}

Plot worst_case_plot(bool exponential) {
  // Two close points between two far ones, as in the paper.
  constexpr std::size_t size = 121;
  const std::vector<std::size_t> data{0, 54, 66, 120};
  const SmoothClass all(size, data);
  const std::vector<double> found = all.maximiser(exponential ? exponential_gain(30.0) : identity_gain(), 1e-3);
  const double radius = std::sqrt(all.penalty(found));
  std::vector<double> bound = all.pointwise();
  for (double& value : bound) value *= radius;
  Plot plot;
  plot.title = exponential ? "u(z) = -exp(-30 z)" : "u(z) = z";
  plot.x.label = "x";
  plot.y.label = "height above the mean";
  PlotPoints points{.name = "data"};
  for (const std::size_t i : data) {
    points.x.push_back(all.grid()[i]);
    points.y.push_back(0.0);
  }
  plot.layers.emplace_back(PlotLine{.name = "pointwise worst case", .x = all.grid(), .y = std::move(bound)});
  plot.layers.emplace_back(PlotLine{.name = "h of one optimisation", .x = all.grid(), .y = found});
  plot.layers.emplace_back(std::move(points));
  return plot;
}

}  // namespace nomu
