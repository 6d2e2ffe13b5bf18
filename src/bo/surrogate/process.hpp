#pragma once
// A Gaussian process of the results of a study, in double precision: its posterior, the slopes of the posterior, and
// points whose results are still to come.

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "bo/surrogate/stretch.hpp"
#include "core/linear_algebra.hpp"

namespace nomu {

/// Results of a study as a process reads them.
struct ProcessRows {
  RowMatrix x;                     ///< [n][inputs]
  Vector y;                        ///< [n], about standardised; larger is better
  std::vector<std::size_t> group;  ///< [inputs], the variable of every column; columns of a variable share a length
  std::size_t groups = 0;
  std::size_t variables = 0;       ///< as many as groups, unless all of them share one length
  std::vector<char> foreign = {};  ///< [n], whether the row is of an earlier study; those come last. Empty: none is
  /// [inputs], whether a column is part of the bowl: the process then varies about level + bend * bowl, with a bend of
  /// at least 0. Empty: about its level.
  std::vector<char> curved = {};
  /// [inputs], which of the kernel's stretches is that of the column, or `as_it_is`. Empty: all are as they are.
  std::vector<std::size_t> stretch = {};
  static constexpr std::size_t as_it_is = std::numeric_limits<std::size_t>::max();

  [[nodiscard]] Eigen::Index rows() const { return x.rows(); }
  [[nodiscard]] bool two_studies(Eigen::Index a, Eigen::Index b) const {
    return !foreign.empty() && foreign[static_cast<std::size_t>(a)] != foreign[static_cast<std::size_t>(b)];
  }
  /// Less the mean square of the curved columns, which are numbers of [-1, 1]: 0 in the middle, -1 in the corners.
  [[nodiscard]] double bowl_at(const double* at) const;
  [[nodiscard]] Vector bowl() const;  ///< at all rows
  /// Some of the rows.
  [[nodiscard]] ProcessRows chosen(const std::vector<Eigen::Index>& kept) const;
};

struct ProcessKernel {
  enum class Shape { matern, gaussian };  ///< twice differentiable functions (Matern 5/2), and very smooth ones
  Shape shape = Shape::matern;
  Vector lengths;           ///< [groups]
  double noise = 0.0;       ///< variance of the noise as a share of the variance of the function
  double remoteness = 0.0;  ///< what is added to the square of the scaled distance between rows of two studies
  std::vector<Stretch> stretches = {};  ///< between places on these scales distances are taken
};

/// The correlation at a scaled distance whose square is given, and its slope by that square.
struct Correlation {
  double value;
  double slope;
};
[[nodiscard]] Correlation correlation_at(ProcessKernel::Shape shape, double square);

/// The sum over inputs of ((a - b) / length)^2, for places on stretched ranges.
[[nodiscard]] double scaled_square(const double* a, const double* b, const ProcessRows& rows, const Vector& lengths);

/// What a process varies about.
struct ProcessTrend {
  double level = 0.0;
  double bend = 0.0;
};

/// The most likely trend, and `results` less it. All are multiplied by the inverse of the factor of the correlations:
/// `results`, `ones`, and the `bowl`, which is empty if there is none.
ProcessTrend remove_trend(const Vector& ones, const Vector& bowl, Vector& results);

/// A process with this kernel, given the rows. Its trend and variance are the most likely ones.
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
  /// The largest posterior mean at the study's own rows: the best result without the part that is probably noise.
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
  /// [rows and believed points], the factor's inverse times the correlations with `x`: its square is the share of the
  /// variance at `x` that is explained.
  [[nodiscard]] Vector explained(std::span<const double> x) const;
  [[nodiscard]] std::span<const double> point(std::size_t row) const;
  [[nodiscard]] std::size_t known() const { return static_cast<std::size_t>(count_); }
  [[nodiscard]] double scale() const;
  /// What it varies about, at a point, and the slopes of that.
  [[nodiscard]] double trend_at(const double* x) const;
  [[nodiscard]] Vector trend_slopes(std::span<const double> x) const;
  [[nodiscard]] const ProcessTrend& trend() const { return trend_; }
  [[nodiscard]] Vector correlations(const double* x) const;
  /// Slopes of the correlations by every input, [known][inputs].
  [[nodiscard]] RowMatrix correlation_slopes(std::span<const double> x) const;
  /// Weights [known] of the correlations in the mean, if the results of the believed points are drawn: `normal` has a
  /// standard normal number for each.
  [[nodiscard]] Vector drawn_weights(const Vector& normal) const;

  /// Mean log density of every result under the process without it (with the same kernel).
  [[nodiscard]] double left_out_score() const;

 private:
  /// The places of a point on stretched ranges, by which its distances are taken.
  [[nodiscard]] Vector placed(const double* x) const;
  [[nodiscard]] double square_to(Eigen::Index row, const double* place) const;
  [[nodiscard]] Correlation correlation_to(Eigen::Index row, const double* place) const;
  /// The slope of the place of a column by the input.
  [[nodiscard]] double place_slope(std::size_t column, double x) const;
  void grow(Eigen::Index count);

  ProcessRows rows_;
  ProcessKernel kernel_;
  RowMatrix points_;    // [>= count][inputs]: the rows, then the points of `believe`
  RowMatrix places_;    // of the points
  RowMatrix factor_;    // of the correlations of all points, noise included; lower triangle
  Vector weights_;      // [n]
  Vector whitened_;     // [n], the factor's inverse times the results less their trend
  Eigen::Index count_;  // rows and believed points
  ProcessTrend trend_;
  double variance_ = 1.0;
  bool valid_ = false;
};

}  // namespace nomu
