#pragma once
// Artificial points among rows of a table: rows that could exist, near the data and away from them.

#include <cstddef>
#include <cstdint>
#include <span>

#include "nomu/core/tensor.hpp"
#include "nomu/data/dataset.hpp"

namespace nomu {

/// `count` rows [1][count][d], each a row of the data in which some columns have been replaced, one of them or any
/// number up to all: numbers by ones from their range, widened a little, names by another name or "unknown".
[[nodiscard]] Tensor<float> artificial_rows(const DataSet& scaled, std::size_t count, std::uint64_t seed);

}  // namespace nomu
