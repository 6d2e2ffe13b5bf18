#pragma once
// The posterior of one Gaussian process with given kernel settings: kernel matrix, its factor, mean and variance.

#include <cstddef>
#include <span>

#include "core/linear_algebra.hpp"

namespace nomu {

/// Kernel settings; `lengths` has one entry for all inputs or one per input.
struct GpKernel {
  double variance = 1.0;
  Vector lengths;
  double noise = 0.0;  ///< variance of the data noise
};

/// The rows of one member, on the scale of the kernel.
struct GpData {
  RowMatrix x;       ///< [n][d]
  Vector y;          ///< [n], minus `mean`, divided by `scale`
  Vector fixed;      ///< [n], diagonal terms besides variance and learned noise
  Vector row_share;  ///< [n], 1 / weight of the row, the factor on the learned noise
  double mean = 0.0;
  double scale = 1.0;

  [[nodiscard]] Eigen::Index rows() const { return x.rows(); }
};

/// Writes the lower triangle of the kernel matrix without the noise on its diagonal, divided by the variance, to
/// `shape`.
void kernel_shape(const GpData& data, const Vector& lengths, Matrix& shape);

/// Turns a kernel matrix (lower triangle) into its Cholesky factor. If rounding makes it indefinite, an increasing
/// multiple of `scale` is added to the diagonal first. Returns false if even 1e-4 of it does not help. `matrix` is
/// copied to `factor`.
[[nodiscard]] bool factorise(const Matrix& matrix, double scale, Matrix& factor);

/// A process conditioned on its rows.
class GpPosterior {
 public:
  /// Rows predicted together; constant, so that a row's value does not depend on its neighbours.
  static constexpr std::size_t block_rows = 64;

  GpPosterior(GpData data, GpKernel kernel);

  /// Mean and standard deviation of the function, without noise, at rows x [q][d], on the scale of the target.
  void predict(std::span<const float> x, std::span<float> mean, std::span<float> sigma) const;

  [[nodiscard]] bool valid() const { return valid_; }
  [[nodiscard]] double noise_sigma() const;

 private:
  GpData data_;
  GpKernel kernel_;
  Matrix factor_;
  Vector weights_;  ///< K^-1 y
  bool valid_ = false;
};

}  // namespace nomu
