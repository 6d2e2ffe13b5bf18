#pragma once
// A Gaussian process of the results of a study, in double precision: its posterior, the slopes of the posterior, and
// points whose results are still to come.

#include <cstddef>
#include <span>
#include <vector>

#include "core/linear_algebra.hpp"

namespace nomu {

/// Results of a study as a process reads them.
struct ProcessRows {
  RowMatrix x;                     ///< [n][inputs]
  Vector y;                        ///< [n], about standardised; larger is better
  std::vector<std::size_t> group;  ///< [inputs], the variable of every column; columns of a variable share a length
  std::size_t groups = 0;

  [[nodiscard]] Eigen::Index rows() const { return x.rows(); }
};

struct ProcessKernel {
  enum class Shape { matern, gaussian };  ///< twice differentiable functions (Matern 5/2), and very smooth ones
  Shape shape = Shape::matern;
  Vector lengths;      ///< [groups]
  double noise = 0.0;  ///< variance of the noise as a share of the variance of the function
};

/// The correlation at a scaled distance whose square is given, and its slope by that square.
struct Correlation {
  double value;
  double slope;
};
[[nodiscard]] Correlation correlation_at(ProcessKernel::Shape shape, double square);

/// The sum over inputs of ((a - b) / length)^2.
[[nodiscard]] double scaled_square(const double* a, const double* b, const ProcessRows& rows, const Vector& lengths);

/// A process with this kernel, given the rows. Its mean level and variance are the most likely ones.
class Process {
 public:
  Process(ProcessRows rows, ProcessKernel kernel);

  [[nodiscard]] bool valid() const { return valid_; }
  [[nodiscard]] const ProcessRows& rows() const { return rows_; }
  [[nodiscard]] const ProcessKernel& kernel() const { return kernel_; }
  [[nodiscard]] double noise_sigma() const;

  struct Value {
    double mean = 0.0;
    double sigma = 0.0;  ///< of the function, without noise
  };
  [[nodiscard]] Value at(std::span<const double> x) const;
  /// The same, with slopes by every input.
  [[nodiscard]] Value at(std::span<const double> x, std::span<double> mean_slopes,
                         std::span<double> sigma_slopes) const;
  /// Values at points [q][inputs].
  [[nodiscard]] std::vector<Value> at_all(const RowMatrix& points) const;
  /// The largest posterior mean at the rows: the best result without the part that is probably noise.
  [[nodiscard]] double best_mean() const;

  /// Adds a pending point, whose result is assumed to be its mean: sigma changes, the mean does not.
  void believe(std::span<const double> x);
  [[nodiscard]] std::size_t believed() const { return static_cast<std::size_t>(count_ - rows_.rows()); }
  [[nodiscard]] std::span<const double> believed_point(std::size_t k) const;

  /// For code that follows the posterior at other points: a row of the factor up to its diagonal, the correlation of a
  /// row or believed point with `x`, the mean there, and the standard deviation of the function.
  [[nodiscard]] std::span<const double> factor_row(std::size_t row) const;
  [[nodiscard]] double correlation(std::size_t row, const double* x) const;
  [[nodiscard]] double mean_at(std::span<const double> x) const;
  [[nodiscard]] double scale() const;

  /// Mean log density of every result under the process without it (with the same kernel).
  [[nodiscard]] double left_out_score() const;

 private:
  [[nodiscard]] Vector correlations(const double* x) const;
  void grow(Eigen::Index count);

  ProcessRows rows_;
  ProcessKernel kernel_;
  RowMatrix points_;    // [>= count][inputs]: the rows, then the points of `believe`
  RowMatrix factor_;    // of the correlations of all points, noise included; lower triangle
  Vector weights_;      // [n]
  Eigen::Index count_;  // rows and believed points
  double level_ = 0.0;
  double variance_ = 1.0;
  bool valid_ = false;
};

}  // namespace nomu
