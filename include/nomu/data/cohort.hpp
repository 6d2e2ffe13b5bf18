#pragma once
/// M problems with the same number of inputs, as the engines train them: in lock step and in single precision. Shorter
/// members are padded with rows of weight 0, which must not affect any loss.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nomu/core/tensor.hpp"
#include "nomu/data/dataset.hpp"

namespace nomu {

/// Scaled data of M members, and the seed each of them draws its random numbers from.
struct Cohort {
  Tensor<float> x;                   ///< [M][n][d]; 0 in padding
  Tensor<float> y;                   ///< [M][n][1]; 0 in padding
  Tensor<float> row_weight;          ///< [M][n][1]; 0 = padding
  Tensor<float> noise;               ///< [M][n][1], known standard deviations, 1 in padding; empty: unknown
  std::vector<std::uint64_t> seeds;  ///< [M]
  Tensor<float> unlabelled = {};     ///< [1 or M][k][d] inputs without a target, scaled like x; empty: none

  [[nodiscard]] std::size_t members() const { return x.members(); }
  [[nodiscard]] std::size_t rows() const { return x.rows(); }
  [[nodiscard]] std::size_t cols() const { return x.cols(); }
};

/// Packs members that are already scaled. Throws DataError when there are no members, the seeds are not one per member,
/// the members differ in columns, only some of them have known noise, or a value does not fit in single precision.
[[nodiscard]] Cohort pack(std::span<const DataSet> members, std::span<const std::uint64_t> seeds);

/// One member per seed, all with the same data.
[[nodiscard]] Cohort repeat(const DataSet& data, std::span<const std::uint64_t> seeds);

/// K = seeds.size() / M copies of each member: copy k of member m becomes member m K + k and takes seeds[m K + k].
/// Throws DataError unless the number of seeds is a positive multiple of M.
[[nodiscard]] Cohort repeat(const Cohort& cohort, std::span<const std::uint64_t> seeds);

/// Number of rows of a member, not counting the padding at its end.
[[nodiscard]] std::size_t member_rows(const Cohort& cohort, std::size_t member);

}  // namespace nomu
