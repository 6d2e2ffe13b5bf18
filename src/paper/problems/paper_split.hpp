#pragma once
// The random splits of the paper's data-set experiments, row for row: its authors shuffled with a seeded Mersenne
// Twister, whose sequence is the same on every platform.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nomu/data/split.hpp"

namespace nomu {

/// Shuffles 0, ..., rows - 1 with this seed; the first `test_rows` are the test part, the others the training part,
/// both in shuffled order. Throws ConfigError unless both parts have rows.
[[nodiscard]] Split paper_split(std::size_t rows, std::size_t test_rows, std::uint32_t seed);

}  // namespace nomu
