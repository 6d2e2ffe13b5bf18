// Matrix products by Eigen, compiled once per instruction set. Eigen's own namespace is renamed per instruction set, so
// that the linker cannot use code for one in place of another.

#define EIGEN_NO_DEBUG  // NOLINT(readability-identifier-naming): Eigen's own switch
#include <Eigen/Core>

#include "engine/cpu/kernels/gemm.hpp"

// NOLINTBEGIN
namespace nomu::engine::cpu::NOMU_ISA {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Const = Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>;

void eigen_multiply(Transpose trans_a, Transpose trans_b, std::size_t m, std::size_t n, std::size_t k, const float* a,
                    std::size_t lda, const float* b, std::size_t ldb, bool accumulate, float* c, std::size_t ldc) {
  const auto i = [](std::size_t v) { return static_cast<Eigen::Index>(v); };
  const bool at = trans_a == Transpose::yes, bt = trans_b == Transpose::yes;
  const Const left(a, at ? i(k) : i(m), at ? i(m) : i(k), Eigen::OuterStride<>(i(lda)));
  const Const right(b, bt ? i(n) : i(k), bt ? i(k) : i(n), Eigen::OuterStride<>(i(ldb)));
  Eigen::Map<Matrix, 0, Eigen::OuterStride<>> out(c, i(m), i(n), Eigen::OuterStride<>(i(ldc)));
  if (!accumulate) out.setZero();
  if (at) {
    out.noalias() += left.transpose() * right;
  } else if (bt) {
    out.noalias() += left * right.transpose();
  } else {
    out.noalias() += left * right;
  }
}

}  // namespace
}  // namespace nomu::engine::cpu::NOMU_ISA
// NOLINTEND
