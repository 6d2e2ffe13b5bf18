#pragma once
// Eigen in double precision for the methods that solve linear systems. Its own threads are off: results would depend on
// their number.

#define EIGEN_DONT_PARALLELIZE  // NOLINT(readability-identifier-naming): Eigen's own
#include <Eigen/Cholesky>
#include <Eigen/Core>

namespace nomu {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
/// Row-major, as in a Tensor.
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace nomu
