#include "bo/surrogate/process.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace nomu {
namespace {

constexpr double root_five = 2.23606797749978969;
constexpr double least_variance = 1e-14;  // keeps sigma above 0 at rows without noise

/// The lower factor of a matrix of which the lower triangle is given; more is added to the diagonal if rounding asks
/// for it.
bool factorise(const RowMatrix& matrix, RowMatrix& factor) {
  for (double added = 0.0; added <= 1e-3; added = added == 0.0 ? 1e-10 : 10.0 * added) {
    factor = matrix;
    factor.diagonal().array() += added;
    Eigen::LLT<Eigen::Ref<RowMatrix>, Eigen::Lower> decomposition(factor);
    if (decomposition.info() == Eigen::Success && std::isfinite(factor.diagonal().sum())) return true;
  }
  return false;
}

}  // namespace

Correlation correlation_at(ProcessKernel::Shape shape, double square) {
  if (shape == ProcessKernel::Shape::gaussian) {
    const double value = std::exp(-0.5 * square);
    return {value, -0.5 * value};
  }
  const double r = root_five * std::sqrt(square);
  const double decay = std::exp(-r);
  return {(1.0 + r + r * r / 3.0) * decay, -5.0 / 6.0 * (1.0 + r) * decay};
}

double scaled_square(const double* a, const double* b, const ProcessRows& rows, const Vector& lengths) {
  double sum = 0.0;
  for (std::size_t j = 0; j < rows.group.size(); ++j) {
    const double step = (a[j] - b[j]) / lengths[static_cast<Eigen::Index>(rows.group[j])];
    sum += step * step;
  }
  return sum;
}

double ProcessRows::bowl_at(const double* at) const {
  double sum = 0.0;
  double count = 0.0;
  for (std::size_t j = 0; j < curved.size(); ++j) {
    if (curved[j] == 0) continue;
    sum += at[j] * at[j];
    count += 1.0;
  }
  return count > 0.0 ? -sum / count : 0.0;
}

Vector ProcessRows::bowl() const {
  Vector result(rows());
  for (Eigen::Index i = 0; i < rows(); ++i) result[i] = bowl_at(x.row(i).data());
  return result;
}

ProcessTrend remove_trend(const Vector& ones, const Vector& bowl, Vector& results) {
  const double squares = ones.squaredNorm();
  if (bowl.size() > 0) {
    const Vector bent = bowl - ones.dot(bowl) / squares * ones;  // what a level does not explain
    const double bend = bent.squaredNorm() > 1e-12 ? bent.dot(results) / bent.squaredNorm() : 0.0;
    if (bend > 0.0) {
      results -= bend * bowl;
      const double level = ones.dot(results) / squares;
      results -= level * ones;
      return {level, bend};
    }
  }
  const double level = ones.dot(results) / squares;
  results -= level * ones;
  return {level, 0.0};
}

ProcessRows ProcessRows::chosen(const std::vector<Eigen::Index>& kept) const {
  const auto count = static_cast<Eigen::Index>(kept.size());
  ProcessRows some{
      .x = RowMatrix(count, x.cols()), .y = Vector(count), .group = group, .groups = groups, .variables = variables};
  some.curved = curved;
  some.stretch = stretch;
  for (Eigen::Index k = 0; k < count; ++k) {
    const Eigen::Index row = kept[static_cast<std::size_t>(k)];
    some.x.row(k) = x.row(row);
    some.y[k] = y[row];
    if (!foreign.empty()) some.foreign.push_back(foreign[static_cast<std::size_t>(row)]);
  }
  return some;
}

Process::Process(ProcessRows rows, ProcessKernel kernel)
    : rows_(std::move(rows)), kernel_(std::move(kernel)), points_(rows_.x), places_(rows_.x), count_(rows_.rows()) {
  const Eigen::Index n = rows_.rows();
  for (Eigen::Index i = 0; i < n; ++i) places_.row(i) = placed(points_.row(i).data()).transpose();
  RowMatrix matrix = RowMatrix::Zero(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < i; ++j) {
      double square = scaled_square(places_.row(i).data(), places_.row(j).data(), rows_, kernel_.lengths);
      if (rows_.two_studies(i, j)) square += kernel_.remoteness;
      matrix(i, j) = correlation_at(kernel_.shape, square).value;
    }
    matrix(i, i) = 1.0 + kernel_.noise;
  }
  valid_ = factorise(matrix, factor_);
  if (!valid_) return;
  const auto lower = std::as_const(factor_).triangularView<Eigen::Lower>();
  Vector ones = Vector::Ones(n);
  Vector bowl = rows_.curved.empty() ? Vector() : rows_.bowl();
  weights_ = rows_.y;
  lower.solveInPlace(ones);
  lower.solveInPlace(weights_);
  if (bowl.size() > 0) lower.solveInPlace(bowl);
  trend_ = remove_trend(ones, bowl, weights_);
  whitened_ = weights_;
  variance_ = (weights_.squaredNorm() + 1.0) / static_cast<double>(n + 1);
  lower.transpose().solveInPlace(weights_);
}

double Process::noise_sigma() const { return std::sqrt(variance_ * kernel_.noise); }

Vector Process::placed(const double* x) const {
  Vector places = Eigen::Map<const Vector>(x, points_.cols());
  for (std::size_t j = 0; j < rows_.stretch.size(); ++j) {
    if (rows_.stretch[j] != ProcessRows::as_it_is)
      places[static_cast<Eigen::Index>(j)] = kernel_.stretches[rows_.stretch[j]].place(x[j]);
  }
  return places;
}

double Process::place_slope(std::size_t column, double x) const {
  if (rows_.stretch.empty() || rows_.stretch[column] == ProcessRows::as_it_is) return 1.0;
  return kernel_.stretches[rows_.stretch[column]].slope(x);
}

/// The square of the scaled distance between a row, or believed point, and a point of the study itself.
double Process::square_to(Eigen::Index row, const double* place) const {
  const bool foreign =
      static_cast<std::size_t>(row) < rows_.foreign.size() && rows_.foreign[static_cast<std::size_t>(row)] != 0;
  const double square = scaled_square(places_.row(row).data(), place, rows_, kernel_.lengths);
  return foreign ? square + kernel_.remoteness : square;
}

Correlation Process::correlation_to(Eigen::Index row, const double* place) const {
  return correlation_at(kernel_.shape, square_to(row, place));
}

Vector Process::correlations(const double* x) const {
  const Vector place = placed(x);
  Vector result(count_);
  for (Eigen::Index i = 0; i < count_; ++i) result[i] = correlation_to(i, place.data()).value;
  return result;
}

double Process::trend_at(const double* x) const {
  return trend_.bend > 0.0 ? trend_.level + trend_.bend * rows_.bowl_at(x) : trend_.level;
}

Vector Process::trend_slopes(std::span<const double> x) const {
  Vector slopes = Vector::Zero(static_cast<Eigen::Index>(x.size()));
  if (!(trend_.bend > 0.0)) return slopes;
  const auto count = static_cast<double>(std::count(rows_.curved.begin(), rows_.curved.end(), 1));
  for (std::size_t j = 0; j < x.size(); ++j) {
    if (rows_.curved[j] != 0) slopes[static_cast<Eigen::Index>(j)] = -2.0 * trend_.bend * x[j] / count;
  }
  return slopes;
}

Process::Value Process::at(std::span<const double> x) const {
  Vector k = correlations(x.data());
  const double mean = trend_at(x.data()) + k.head(rows_.rows()).dot(weights_);
  factor_.topLeftCorner(count_, count_).triangularView<Eigen::Lower>().solveInPlace(k);
  return {mean, std::sqrt(variance_ * std::max(1.0 - k.squaredNorm(), least_variance))};
}

Process::Value Process::at(std::span<const double> x, std::span<double> mean_slopes,
                           std::span<double> sigma_slopes) const {
  const Eigen::Index n = rows_.rows();
  const Vector place = placed(x.data());
  Vector k(count_);
  Vector slopes(count_);
  for (Eigen::Index i = 0; i < count_; ++i) {
    const Correlation c = correlation_to(i, place.data());
    k[i] = c.value;
    slopes[i] = c.slope;
  }
  const double mean = trend_at(x.data()) + k.head(n).dot(weights_);
  const Vector of_trend = trend_slopes(x);
  const auto lower = factor_.topLeftCorner(count_, count_).triangularView<Eigen::Lower>();
  lower.solveInPlace(k);
  const double left = std::max(1.0 - k.squaredNorm(), least_variance);
  const double sigma = std::sqrt(variance_ * left);
  lower.transpose().solveInPlace(k);
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double length = kernel_.lengths[static_cast<Eigen::Index>(rows_.group[j])];
    const auto column = static_cast<Eigen::Index>(j);
    const double room = place_slope(j, x[j]);
    double of_mean = of_trend[column];
    double of_left = 0.0;
    for (Eigen::Index i = 0; i < count_; ++i) {
      const double step = slopes[i] * 2.0 * (place[column] - places_(i, column)) / (length * length) * room;
      if (i < n) of_mean += weights_[i] * step;
      of_left -= 2.0 * k[i] * step;
    }
    mean_slopes[j] = of_mean;
    sigma_slopes[j] = left > least_variance ? 0.5 * variance_ * of_left / sigma : 0.0;
  }
  return {mean, sigma};
}

std::vector<Process::Value> Process::at_all(const RowMatrix& points) const {
  constexpr Eigen::Index at_once = 64;
  std::vector<Value> values(static_cast<std::size_t>(points.rows()));
  for (Eigen::Index first = 0; first < points.rows(); first += at_once) {
    const Eigen::Index q = std::min(at_once, points.rows() - first);
    Matrix k = Matrix::Zero(count_, at_once);
    for (Eigen::Index c = 0; c < q; ++c) k.col(c) = correlations(points.row(first + c).data());
    const Vector means = k.topRows(rows_.rows()).transpose() * weights_;
    factor_.topLeftCorner(count_, count_).triangularView<Eigen::Lower>().solveInPlace(k);
    for (Eigen::Index c = 0; c < q; ++c) {
      values[static_cast<std::size_t>(first + c)] = {
          trend_at(points.row(first + c).data()) + means[c],
          std::sqrt(variance_ * std::max(1.0 - k.col(c).squaredNorm(), least_variance))};
    }
  }
  return values;
}

double Process::best_mean() const {
  // The mean at a row is its result less its weight times the noise.
  const auto own = rows_.rows() - std::count(rows_.foreign.begin(), rows_.foreign.end(), 1);
  return (rows_.y - kernel_.noise * weights_).head(own).maxCoeff();
}

void Process::grow(Eigen::Index count) {
  if (count <= factor_.rows()) return;
  const Eigen::Index room = std::max(count, 2 * factor_.rows());
  factor_.conservativeResize(room, room);
  points_.conservativeResize(room, points_.cols());
  places_.conservativeResize(room, places_.cols());
}

void Process::believe(std::span<const double> x) {
  Vector k = correlations(x.data());
  factor_.topLeftCorner(count_, count_).triangularView<Eigen::Lower>().solveInPlace(k);
  grow(count_ + 1);
  factor_.row(count_).head(count_) = k.transpose();
  factor_(count_, count_) = std::sqrt(std::max(1.0 + std::max(kernel_.noise, 1e-8) - k.squaredNorm(), 1e-8));
  std::copy(x.begin(), x.end(), points_.row(count_).data());
  places_.row(count_) = placed(x.data()).transpose();
  ++count_;
}

std::span<const double> Process::believed_point(std::size_t k) const {
  return {points_.row(rows_.rows() + static_cast<Eigen::Index>(k)).data(), static_cast<std::size_t>(points_.cols())};
}

std::span<const double> Process::factor_row(std::size_t row) const {
  return {factor_.row(static_cast<Eigen::Index>(row)).data(), row + 1};
}

double Process::correlation(std::size_t row, const double* x) const {
  return correlation_to(static_cast<Eigen::Index>(row), placed(x).data()).value;
}

double Process::mean_at(std::span<const double> x) const {
  const Vector place = placed(x.data());
  double mean = trend_at(x.data());
  for (Eigen::Index i = 0; i < rows_.rows(); ++i) mean += weights_[i] * correlation_to(i, place.data()).value;
  return mean;
}

RowMatrix Process::correlation_slopes(std::span<const double> x) const {
  const Vector place = placed(x.data());
  RowMatrix result(count_, static_cast<Eigen::Index>(x.size()));
  for (Eigen::Index i = 0; i < count_; ++i) {
    const double slope = correlation_to(i, place.data()).slope;
    for (std::size_t j = 0; j < x.size(); ++j) {
      const auto column = static_cast<Eigen::Index>(j);
      const double length = kernel_.lengths[static_cast<Eigen::Index>(rows_.group[j])];
      result(i, column) = slope * 2.0 * (place[column] - places_(i, column)) / (length * length) * place_slope(j, x[j]);
    }
  }
  return result;
}

Vector Process::drawn_weights(const Vector& normal) const {
  Vector all(count_);
  all.head(rows_.rows()) = whitened_;
  all.tail(count_ - rows_.rows()) = scale() * normal;
  factor_.topLeftCorner(count_, count_).triangularView<Eigen::Lower>().transpose().solveInPlace(all);
  return all;
}

Vector Process::explained(std::span<const double> x) const {
  Vector k = correlations(x.data());
  factor_.topLeftCorner(count_, count_).triangularView<Eigen::Lower>().solveInPlace(k);
  return k;
}

std::span<const double> Process::point(std::size_t row) const {
  return {points_.row(static_cast<Eigen::Index>(row)).data(), static_cast<std::size_t>(points_.cols())};
}

double Process::scale() const { return std::sqrt(variance_); }

double Process::left_out_score() const {
  const Eigen::Index n = rows_.rows();
  Matrix inverse = Matrix::Identity(n, n);
  const auto lower = factor_.topLeftCorner(n, n).triangularView<Eigen::Lower>();
  lower.solveInPlace(inverse);
  double sum = 0.0;
  for (Eigen::Index i = 0; i < n; ++i) {
    const double precision = inverse.col(i).squaredNorm();  // of K^-1, as L^-T L^-1
    const double variance = variance_ / precision;
    const double error = weights_[i] / precision;
    sum -= 0.5 * (error * error / variance + std::log(2.0 * std::numbers::pi * variance));
  }
  return sum / static_cast<double>(n);
}

}  // namespace nomu
