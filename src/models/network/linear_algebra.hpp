#pragma once
// Eigen in double precision for the methods that solve linear systems. Its own threads stay off: they would change
// results with their number.

#define EIGEN_DONT_PARALLELIZE  // NOLINT(readability-identifier-naming): Eigen's own
#include <Eigen/Cholesky>
#include <Eigen/Core>

namespace nomu {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
/// Rows of x lie next to each other, as in a Tensor.
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace nomu
