#pragma once
// Some members of a block of numbers, in a given order.

#include <algorithm>
#include <cstddef>
#include <span>

#include "nomu/core/tensor.hpp"

namespace nomu {

/// Groups of `size` members each, selected by group number, [groups * size][n][d]; empty stays empty.
[[nodiscard]] inline Tensor<float> chosen_members(const Tensor<float>& all, std::span<const std::size_t> groups,
                                                  std::size_t size = 1) {
  if (all.empty()) return {};
  Tensor<float> some(groups.size() * size, all.rows(), all.cols());
  for (std::size_t i = 0; i < groups.size() * size; ++i)
    std::ranges::copy(all.member(groups[i / size] * size + i % size), some.member(i).begin());
  return some;
}

}  // namespace nomu
