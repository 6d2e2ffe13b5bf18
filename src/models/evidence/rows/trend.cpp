#include "models/evidence/rows/trend.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/linear_algebra.hpp"
#include "core/team.hpp"

namespace nomu {
namespace {

constexpr std::size_t most_inputs = 400;   ///< the cost grows with their cube
constexpr std::size_t most_rows = 20'000;  ///< more hardly change a linear model
constexpr double hopeless = 0.02;          ///< a warp that loses more log-likelihood per row is not tried

/// The inputs of some rows, ready for ridge regressions on any targets of theirs.
class Ridge {
 public:
  /// Without slopes if they are not wanted, or if there are too many inputs or too few rows for them.
  Ridge(const DataSet& data, std::span<const std::size_t> rows, bool linear)
      : data_(data), linear_(linear && data.cols() <= most_inputs && rows.size() >= 3) {
    const std::size_t step = (rows.size() + most_rows - 1) / most_rows;
    for (std::size_t k = 0; k < rows.size(); k += step) used_.push_back(rows[k]);
    weigh();
    if (linear_) find_axes();
  }

  /// `targets` has one entry for every row of the data.
  [[nodiscard]] Trend fit(std::span<const double> targets) const;

 private:
  void weigh();
  [[nodiscard]] double weight_at(std::size_t i) const {
    return data_.row_weight.empty() ? 1.0 : weight_factor_ * data_.row_weight[i];
  }
  void find_axes();
  [[nodiscard]] Vector slopes(std::span<const double> targets, double mean) const;
  [[nodiscard]] Vector shares(const Vector& along, double squares) const;

  const DataSet& data_;
  bool linear_;
  std::vector<std::size_t> used_;
  double weight_factor_ = 1.0;
  double weight_ = 0.0;  ///< of all used rows: as many as rows of equal weight would say the same
  Vector means_;
  Matrix centred_;  ///< X around its means, rows weighted by the roots of their weights
  /// The eigenvectors of X'X or, if there are fewer rows than inputs, of XX': either way X = sum of u_j s_j v_j'.
  Eigen::SelfAdjointEigenSolver<Matrix> axes_;
  bool wide_ = false;
};

/// Scales weights so that their sum is the effective number of rows, which generalised cross-validation counts.
void Ridge::weigh() {
  double squares = 0.0;
  double sum = 0.0;
  for (const std::size_t i : used_) {
    const double weight = weight_at(i);
    sum += weight;
    squares += weight * weight;
  }
  if (squares > 0.0) weight_factor_ = sum / squares;
  weight_ = weight_factor_ * sum;
}

void Ridge::find_axes() {
  const auto d = static_cast<Eigen::Index>(data_.cols());
  const auto row_of = [&](std::size_t i) { return Eigen::Map<const Vector>(data_.row(i).data(), d); };
  means_ = Vector::Zero(d);
  for (const std::size_t i : used_) means_ += weight_at(i) * row_of(i);
  means_ /= weight_;
  centred_ = Matrix(static_cast<Eigen::Index>(used_.size()), d);
  for (std::size_t k = 0; k < used_.size(); ++k) {
    centred_.row(static_cast<Eigen::Index>(k)) =
        std::sqrt(weight_at(used_[k])) * (row_of(used_[k]) - means_).transpose();
  }
  wide_ = centred_.rows() < centred_.cols();
  const auto size = std::min(centred_.rows(), centred_.cols());
  Matrix products = Matrix::Zero(size, size);
  if (wide_) {
    products.selfadjointView<Eigen::Lower>().rankUpdate(centred_);
  } else {
    products.selfadjointView<Eigen::Lower>().rankUpdate(centred_.transpose());
  }
  axes_.compute(products);
}

Trend Ridge::fit(std::span<const double> targets) const {
  double mean = 0.0;
  for (const std::size_t i : used_) mean += weight_at(i) * targets[i];
  mean /= weight_;
  Trend trend{.intercept = mean, .slopes = std::vector<double>(data_.cols(), 0.0)};
  if (!linear_) return trend;
  const Vector found = slopes(targets, mean);
  for (std::size_t j = 0; j < data_.cols(); ++j) trend.slopes[j] = found(static_cast<Eigen::Index>(j));
  trend.intercept = mean - found.dot(means_);
  return trend;
}

Vector Ridge::slopes(std::span<const double> targets, double mean) const {
  Vector target(static_cast<Eigen::Index>(used_.size()));
  for (std::size_t k = 0; k < used_.size(); ++k)
    target(static_cast<Eigen::Index>(k)) = std::sqrt(weight_at(used_[k])) * (targets[used_[k]] - mean);
  // Along axis j: s_j u_j'y.
  const Vector along =
      wide_
          ? Vector(
                (axes_.eigenvectors().transpose() * target).cwiseProduct(axes_.eigenvalues().cwiseMax(0.0).cwiseSqrt()))
          : Vector(axes_.eigenvectors().transpose() * (centred_.transpose() * target));
  const Vector chosen = shares(along, target.squaredNorm());
  if (!wide_) return axes_.eigenvectors() * chosen;
  Vector sum = Vector::Zero(centred_.cols());
  for (Eigen::Index j = 0; j < chosen.size(); ++j) {
    const double root = std::sqrt(std::max(axes_.eigenvalues()(j), 0.0));
    if (root > 1e-9) sum += chosen(j) / root * (centred_.transpose() * axes_.eigenvectors().col(j));
  }
  return sum;
}

/// What is left of each axis under the penalty with the best score of generalised cross-validation.
Vector Ridge::shares(const Vector& along, double squares) const {
  double best = std::numeric_limits<double>::infinity();
  Vector chosen = Vector::Zero(along.size());
  for (int half_exponent = -10; half_exponent <= 4; ++half_exponent) {
    const double penalty = weight_ * std::pow(10.0, 0.5 * half_exponent);
    double left = squares;
    double freedom = 1.0;
    Vector shrunk(along.size());
    for (Eigen::Index j = 0; j < along.size(); ++j) {
      const double value = std::max(axes_.eigenvalues()(j), 0.0);
      shrunk(j) = along(j) / (value + penalty);
      left -= shrunk(j) * shrunk(j) * (value + 2.0 * penalty);
      freedom += value / (value + penalty);
    }
    if (freedom > 0.9 * weight_) continue;
    const double score = std::max(left, 0.0) / std::pow(weight_ - freedom, 2);
    if (score < best) {
      best = score;
      chosen = shrunk;
    }
  }
  return chosen;
}

/// How a warp stretches the scale of the targets at the rows that folds leave out, as part of a log-likelihood.
double mean_log_slope(const Warp& warp, std::span<const double> warped, std::span<const Split> folds) {
  double slopes = 0.0;
  for (const Split& fold : folds) {
    for (const std::size_t i : fold.test) slopes += std::log(warp.slope(warped[i]));
  }
  return slopes / static_cast<double>(warped.size());
}

/// Errors of linear models of each list of targets at unseen rows, [list][n].
std::vector<std::vector<double>> errors_of(const DataSet& data, std::span<const std::vector<double>> targets,
                                           std::span<const Split> folds, std::int64_t threads) {
  std::vector<std::vector<double>> errors(targets.size(), std::vector<double>(data.rows(), 0.0));
  side_by_side(folds.size(), threads, [&](std::size_t f) {
    const Ridge ridge(data, folds[f].train, true);
    for (std::size_t t = 0; t < targets.size(); ++t) {
      const Trend trend = ridge.fit(targets[t]);
      for (const std::size_t i : folds[f].test) errors[t][i] = targets[t][i] - trend.at(data.row(i));
    }
  });
  return errors;
}

}  // namespace

double Trend::at(std::span<const double> row) const {
  double sum = intercept;
  for (std::size_t j = 0; j < slopes.size(); ++j) sum += slopes[j] * row[j];
  return sum;
}

Trend fit_trend(const DataSet& data, std::span<const std::size_t> rows, bool linear) {
  return Ridge(data, rows, linear).fit(data.targets);
}

std::vector<double> linear_errors(const DataSet& data, std::span<const Split> folds, std::int64_t threads) {
  return std::move(errors_of(data, {&data.targets, 1}, folds, threads).front());
}

double linear_loss(std::span<const double> errors) {
  double squares = 0.0;
  for (const double error : errors) squares += error * error;
  return 0.5 * std::log(squares / static_cast<double>(errors.size()));
}

Warp promising_warp(const DataSet& data, std::span<const Split> folds, std::int64_t threads) {
  const std::vector<Warp> warps = possible_warps(data.targets);
  if (warps.size() < 2) return {};
  std::vector<std::vector<double>> warped;
  warped.reserve(warps.size());
  for (const Warp& warp : warps) warped.push_back(warp.apply(data.targets));
  const std::vector<std::vector<double>> errors = errors_of(data, warped, folds, threads);
  Warp best;
  double least = linear_loss(errors.front()) + hopeless;
  for (std::size_t w = 1; w < warps.size(); ++w) {
    const double loss = linear_loss(errors[w]) + mean_log_slope(warps[w], warped[w], folds);
    if (loss < least) {
      least = loss;
      best = warps[w];
    }
  }
  return best;
}

}  // namespace nomu
