#include "models/evidence/trend.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

#include "models/network/linear_algebra.hpp"

namespace nomu {
namespace {

constexpr std::size_t most_inputs = 400;   ///< the cost grows with their cube
constexpr std::size_t most_rows = 20'000;  ///< more hardly change a linear model
constexpr double hopeless = 0.02;          ///< a warp that loses more log-likelihood per row is not tried

/// Sums over the rows around their means: everything ridge regression needs.
struct Sums {
  double weight = 0.0;
  double mean = 0.0;
  Vector means;
  Matrix centred;  ///< X, rows weighted by the roots of their weights
  Vector target;
};

double weight_at(const DataSet& data, std::size_t i) { return data.row_weight.empty() ? 1.0 : data.row_weight[i]; }

Sums sums_of(const DataSet& data, std::span<const std::size_t> rows) {
  const auto d = static_cast<Eigen::Index>(data.cols());
  const std::size_t step = (rows.size() + most_rows - 1) / most_rows;
  Sums sums{.means = Vector::Zero(d), .centred = {}, .target = {}};
  std::vector<std::size_t> used;
  for (std::size_t k = 0; k < rows.size(); k += step) used.push_back(rows[k]);
  const auto row_of = [&](std::size_t i) { return Eigen::Map<const Vector>(data.row(i).data(), d); };
  for (const std::size_t i : used) {
    sums.weight += weight_at(data, i);
    sums.mean += weight_at(data, i) * data.targets[i];
    sums.means += weight_at(data, i) * row_of(i);
  }
  sums.mean /= sums.weight;
  sums.means /= sums.weight;
  sums.centred = Matrix(static_cast<Eigen::Index>(used.size()), d);
  sums.target = Vector(static_cast<Eigen::Index>(used.size()));
  for (std::size_t k = 0; k < used.size(); ++k) {
    const double root = std::sqrt(weight_at(data, used[k]));
    sums.centred.row(static_cast<Eigen::Index>(k)) = root * (row_of(used[k]) - sums.means).transpose();
    sums.target(static_cast<Eigen::Index>(k)) = root * (data.targets[used[k]] - sums.mean);
  }
  return sums;
}

double log_likelihood_loss(const DataSet& data, const Warp& warp, std::span<const Split> folds) {
  DataSet warped = data;
  warped.targets = warp.apply(data.targets);
  double squares = 0.0;
  for (const double error : linear_errors(warped, folds)) squares += error * error;
  double slopes = 0.0;
  for (const Split& fold : folds) {
    for (const std::size_t i : fold.test) slopes += std::log(warp.slope(warped.targets[i]));
  }
  const auto n = static_cast<double>(data.rows());
  return 0.5 * std::log(squares / n) + slopes / n;
}

}  // namespace

double Trend::at(std::span<const double> row) const {
  double sum = intercept;
  for (std::size_t j = 0; j < slopes.size(); ++j) sum += slopes[j] * row[j];
  return sum;
}

Trend fit_trend(const DataSet& data, std::span<const std::size_t> rows, bool linear) {
  const Sums sums = sums_of(data, rows);
  Trend trend{.intercept = sums.mean, .slopes = std::vector<double>(data.cols(), 0.0)};
  if (!linear || data.cols() > most_inputs || rows.size() < 3) return trend;
  // The eigenvectors of X'X or, if there are fewer rows than inputs, of XX': either way X = sum of u_j s_j v_j'.
  const bool wide = sums.centred.rows() < sums.centred.cols();
  const auto size = std::min(sums.centred.rows(), sums.centred.cols());
  Matrix products = Matrix::Zero(size, size);
  if (wide) {
    products.selfadjointView<Eigen::Lower>().rankUpdate(sums.centred);
  } else {
    products.selfadjointView<Eigen::Lower>().rankUpdate(sums.centred.transpose());
  }
  const Eigen::SelfAdjointEigenSolver<Matrix> axes(products);
  // Along axis j: s_j u_j'y.
  const Vector along = wide ? Vector((axes.eigenvectors().transpose() * sums.target)
                                         .cwiseProduct(axes.eigenvalues().cwiseMax(0.0).cwiseSqrt()))
                            : Vector(axes.eigenvectors().transpose() * (sums.centred.transpose() * sums.target));
  const double squares = sums.target.squaredNorm();
  double best = std::numeric_limits<double>::infinity();
  Vector shares = Vector::Zero(size);
  for (int half_exponent = -10; half_exponent <= 4; ++half_exponent) {
    const double penalty = sums.weight * std::pow(10.0, 0.5 * half_exponent);
    double left = squares;
    double freedom = 1.0;
    Vector shrunk(size);
    for (Eigen::Index j = 0; j < size; ++j) {
      const double value = std::max(axes.eigenvalues()(j), 0.0);
      shrunk(j) = along(j) / (value + penalty);
      left -= shrunk(j) * shrunk(j) * (value + 2.0 * penalty);
      freedom += value / (value + penalty);
    }
    if (freedom > 0.9 * sums.weight) continue;
    const double score = std::max(left, 0.0) / std::pow(sums.weight - freedom, 2);
    if (score < best) {
      best = score;
      shares = shrunk;
    }
  }
  Vector slopes = Vector::Zero(sums.centred.cols());
  if (wide) {
    for (Eigen::Index j = 0; j < size; ++j) {
      const double root = std::sqrt(std::max(axes.eigenvalues()(j), 0.0));
      if (root > 1e-9) slopes += shares(j) / root * (sums.centred.transpose() * axes.eigenvectors().col(j));
    }
  } else {
    slopes = axes.eigenvectors() * shares;
  }
  for (std::size_t j = 0; j < data.cols(); ++j) trend.slopes[j] = slopes(static_cast<Eigen::Index>(j));
  trend.intercept = sums.mean - slopes.dot(sums.means);
  return trend;
}

std::vector<double> linear_errors(const DataSet& data, std::span<const Split> folds) {
  std::vector<double> errors(data.rows(), 0.0);
  for (const Split& fold : folds) {
    const Trend trend = fit_trend(data, fold.train, true);
    for (const std::size_t i : fold.test) errors[i] = data.targets[i] - trend.at(data.row(i));
  }
  return errors;
}

double linear_loss(const DataSet& data, std::span<const Split> folds) { return log_likelihood_loss(data, {}, folds); }

Warp promising_warp(const DataSet& data, std::span<const Split> folds) {
  const std::vector<Warp> warps = possible_warps(data.targets);
  const double unwarped = log_likelihood_loss(data, warps.front(), folds);
  Warp best;
  double least = unwarped + hopeless;
  for (const Warp& warp : std::span(warps).subspan(1)) {
    const double loss = log_likelihood_loss(data, warp, folds);
    if (loss < least) {
      least = loss;
      best = warp;
    }
  }
  return best;
}

}  // namespace nomu
