#pragma once
// Eigen in double precision for the methods that solve linear systems. Its own threads are off in all sources
// (cmake/nomu_compiler.cmake): results would depend on their number.

#include <Eigen/Cholesky>
#include <Eigen/Core>

namespace nomu {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
/// Row-major, as in a Tensor.
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace nomu
