#pragma once
/// A dense block of numbers with the three axes used everywhere in nomu: members, rows, columns.
/// One data set is one member; a cohort of M problems is one tensor [M][n][d].

#include <cstddef>
#include <span>
#include <vector>

#include "nomu/core/zeroed.hpp"

namespace nomu {

/// Number of elements of [members][rows][cols]; throws ConfigError if it does not fit the address space.
[[nodiscard]] std::size_t tensor_size(std::size_t members, std::size_t rows, std::size_t cols);

/// Contiguous row-major storage [M][n][d] with value semantics.
template <class T>
class Tensor {
 public:
  Tensor() = default;

  /// Allocates [members][rows][cols] filled with zeros; throws ConfigError if the size overflows.
  Tensor(std::size_t members, std::size_t rows, std::size_t cols)
      : members_(members), rows_(rows), cols_(cols), values_(tensor_size(members, rows, cols)) {}

  /// The same filled with `value`.
  Tensor(std::size_t members, std::size_t rows, std::size_t cols, T value)
      : members_(members), rows_(rows), cols_(cols), values_(tensor_size(members, rows, cols), value) {}

  [[nodiscard]] std::size_t members() const { return members_; }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t cols() const { return cols_; }
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] bool empty() const { return values_.empty(); }

  [[nodiscard]] T& operator()(std::size_t m, std::size_t i, std::size_t j) {
    return values_[(m * rows_ + i) * cols_ + j];
  }
  [[nodiscard]] const T& operator()(std::size_t m, std::size_t i, std::size_t j) const {
    return values_[(m * rows_ + i) * cols_ + j];
  }

  /// All rows of one member, [n][d].
  [[nodiscard]] std::span<T> member(std::size_t m) {
    return std::span<T>(values_).subspan(m * rows_ * cols_, rows_ * cols_);
  }
  [[nodiscard]] std::span<const T> member(std::size_t m) const {
    return std::span<const T>(values_).subspan(m * rows_ * cols_, rows_ * cols_);
  }

  /// One row of one member, [d].
  [[nodiscard]] std::span<T> row(std::size_t m, std::size_t i) {
    return std::span<T>(values_).subspan((m * rows_ + i) * cols_, cols_);
  }
  [[nodiscard]] std::span<const T> row(std::size_t m, std::size_t i) const {
    return std::span<const T>(values_).subspan((m * rows_ + i) * cols_, cols_);
  }

  /// Everything, [M * n * d].
  [[nodiscard]] std::span<T> flat() { return values_; }
  [[nodiscard]] std::span<const T> flat() const { return values_; }

  friend bool operator==(const Tensor&, const Tensor&) = default;

 private:
  std::size_t members_ = 0;
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
  std::vector<T, ZeroedAllocator<T>> values_;
};

}  // namespace nomu
