#include "models/gp/gp_posterior.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace nomu {
namespace {

constexpr auto at_once = static_cast<Eigen::Index>(GpPosterior::block_rows);

/// exp(-sum_k ((a_k - b_k) / length_k)^2 / 2)
template <class Number>
double correlation(const double* a, const Number* b, Eigen::Index d, const Vector& lengths) {
  const bool shared = lengths.size() == 1;
  double squares = 0.0;
  for (Eigen::Index k = 0; k < d; ++k) {
    const double step = (a[k] - static_cast<double>(b[k])) / lengths[shared ? 0 : k];
    squares += step * step;
  }
  return std::exp(-0.5 * squares);
}

}  // namespace

void kernel_shape(const GpData& data, const Vector& lengths, Matrix& shape) {
  const Eigen::Index d = data.x.cols();
  for (Eigen::Index j = 0; j < data.rows(); ++j) {
    for (Eigen::Index i = j; i < data.rows(); ++i) {
      shape(i, j) = correlation(data.x.row(i).data(), data.x.row(j).data(), d, lengths);
    }
  }
}

bool factorise(const Matrix& matrix, double scale, Matrix& factor) {
  // No jitter helps then, and the decomposition would go through all of it each time.
  for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
    if (!matrix.col(j).tail(matrix.rows() - j).allFinite()) return false;
  }
  for (double jitter = 0.0; jitter <= 1e-4; jitter = jitter == 0.0 ? 1e-12 : 10.0 * jitter) {
    factor = matrix;
    factor.diagonal().array() += jitter * scale;
    Eigen::LLT<Eigen::Ref<Matrix>> decomposition(factor);
    // The decomposition does not detect a matrix that is not finite.
    if (decomposition.info() == Eigen::Success && std::isfinite(factor.diagonal().sum())) return true;
  }
  return false;
}

GpPosterior::GpPosterior(GpData data, GpKernel kernel) : data_(std::move(data)), kernel_(std::move(kernel)) {
  Matrix matrix = Matrix::Zero(data_.rows(), data_.rows());
  kernel_shape(data_, kernel_.lengths, matrix);
  matrix *= kernel_.variance;
  matrix.diagonal() += data_.fixed + kernel_.noise * data_.row_share;
  valid_ = factorise(matrix, kernel_.variance, factor_);
  weights_ = data_.y;
  if (!valid_) return;
  const auto lower = std::as_const(factor_).triangularView<Eigen::Lower>();
  lower.solveInPlace(weights_);
  lower.transpose().solveInPlace(weights_);
}

double GpPosterior::noise_sigma() const { return data_.scale * std::sqrt(kernel_.noise); }

void GpPosterior::predict(std::span<const float> x, std::span<float> mean, std::span<float> sigma) const {
  if (!valid_) {
    std::ranges::fill(mean, std::numeric_limits<float>::quiet_NaN());
    std::ranges::fill(sigma, std::numeric_limits<float>::quiet_NaN());
    return;
  }
  const Eigen::Index n = data_.rows();
  const Eigen::Index d = data_.x.cols();
  const auto rows = static_cast<Eigen::Index>(mean.size());
  Matrix between(n, at_once);
  for (Eigen::Index first = 0; first < rows; first += at_once) {
    const Eigen::Index count = std::min(at_once, rows - first);
    between.setZero();
    for (Eigen::Index q = 0; q < count; ++q) {
      const float* row = x.data() + (first + q) * d;
      for (Eigen::Index i = 0; i < n; ++i) {
        between(i, q) = kernel_.variance * correlation(data_.x.row(i).data(), row, d, kernel_.lengths);
      }
      const double value = between.col(q).dot(weights_);
      mean[static_cast<std::size_t>(first + q)] = static_cast<float>(data_.mean + data_.scale * value);
    }
    // Eq. (sigPredGPR): the variance comes from a triangular solve; with an explicit inverse it would be lost to
    // rounding.
    factor_.triangularView<Eigen::Lower>().solveInPlace(between);
    for (Eigen::Index q = 0; q < count; ++q) {
      const double variance = std::max(0.0, kernel_.variance - between.col(q).squaredNorm());
      sigma[static_cast<std::size_t>(first + q)] = static_cast<float>(data_.scale * std::sqrt(variance));
    }
  }
}

}  // namespace nomu
