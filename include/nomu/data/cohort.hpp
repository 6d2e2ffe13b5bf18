#pragma once
/// M problems of the same width side by side, as the engines train them: in lock step, in single precision. Shorter
/// members are padded with rows of weight 0, which no loss may feel.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nomu/core/tensor.hpp"
#include "nomu/data/dataset.hpp"

namespace nomu {

/// Scaled data of M members with the seed each of them draws its random numbers from.
struct Cohort {
  Tensor<float> x;                   ///< [M][n][d]; 0 in padding
  Tensor<float> y;                   ///< [M][n][1]; 0 in padding
  Tensor<float> row_weight;          ///< [M][n][1]; 0 = padding
  Tensor<float> noise;               ///< [M][n][1], known standard deviations, 1 in padding; empty: none are known
  std::vector<std::uint64_t> seeds;  ///< [M]
  Tensor<float> unlabelled = {};     ///< [1 or M][k][d] inputs without target, scaled as x; empty: none are given

  [[nodiscard]] std::size_t members() const { return x.members(); }
  [[nodiscard]] std::size_t rows() const { return x.rows(); }
  [[nodiscard]] std::size_t cols() const { return x.cols(); }
};

/// Packs members that are scaled already. Throws DataError when there is none, seeds are not one each, columns differ,
/// only some members know their noise, or a number does not fit single precision.
[[nodiscard]] Cohort pack(std::span<const DataSet> members, std::span<const std::uint64_t> seeds);

/// The same data once per seed.
[[nodiscard]] Cohort repeat(const DataSet& data, std::span<const std::uint64_t> seeds);

/// Each member K times in a row, K = seeds.size() / M: copy k of member m is member m K + k and takes seeds[m K + k].
/// Throws DataError when the seeds are no positive multiple of M.
[[nodiscard]] Cohort repeat(const Cohort& cohort, std::span<const std::uint64_t> seeds);

/// Members first, ..., first + count - 1. Throws DataError when there are not as many.
[[nodiscard]] Cohort slice(const Cohort& cohort, std::size_t first, std::size_t count);

/// Rows of a member without the padding at its end.
[[nodiscard]] std::size_t member_rows(const Cohort& cohort, std::size_t member);

}  // namespace nomu
