#pragma once
// Bayesian linear regression on given regressors: prior precision alpha and noise precision beta come from fixed-point
// updates that maximise the evidence.

#include <cstddef>

#include "core/linear_algebra.hpp"

namespace nomu {

/// What the rows say about the coefficients, accumulated block by block.
class NormalEquations {
 public:
  explicit NormalEquations(Eigen::Index size) : gram_(Matrix::Zero(size, size)), moment_(Vector::Zero(size)) {}

  /// Regressors [size][rows of the block], one column per row, with targets and weights.
  void add(const Matrix& columns, const Vector& targets, const Vector& weights);

  [[nodiscard]] const Matrix& gram() const { return gram_; }
  [[nodiscard]] const Vector& moment() const { return moment_; }
  [[nodiscard]] double rows() const { return rows_; }
  [[nodiscard]] double target_squares() const { return target_squares_; }

 private:
  Matrix gram_;  ///< lower triangle
  Vector moment_;
  double rows_ = 0.0;
  double target_squares_ = 0.0;
};

struct BayesianLinear {
  double alpha = 1.0;
  double beta = 1.0;
  Vector coefficients;  ///< posterior mean
  Matrix root;          ///< [size][size]: the posterior covariance is root root'
  bool valid = true;
};

/// The coefficients are unknown too: their full posterior.
[[nodiscard]] BayesianLinear regress(const NormalEquations& equations);

/// The coefficients are given, with sum of squares `coefficient_squares` and sum of squared errors `error_squares`.
/// Only precisions and covariance are computed (Laplace's approximation at given weights).
[[nodiscard]] BayesianLinear regress_around(const NormalEquations& equations, double coefficient_squares,
                                            double error_squares);

}  // namespace nomu
