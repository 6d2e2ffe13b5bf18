#pragma once
// The random splits of the paper's data-set experiments, row for row: its authors shuffled with a seeded Mersenne
// Twister, whose sequence is the same everywhere.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nomu/data/split.hpp"

namespace nomu {

/// The first `test_rows` of 0, ..., rows - 1 shuffled by this seed are the test part, the others in their shuffled
/// order the training part. Throws ConfigError unless both parts have rows.
[[nodiscard]] Split paper_split(std::size_t rows, std::size_t test_rows, std::uint32_t seed);

}  // namespace nomu
