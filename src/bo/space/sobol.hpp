#pragma once
// Sobol's sequence as integers: 32 bits a coordinate, before the shift that the seed decides.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nomu {

/// The first points with the direction numbers of Joe and Kuo, [count][dimension], beginning with the origin. Throws
/// ConfigError for more dimensions than they published numbers for.
[[nodiscard]] std::vector<std::uint32_t> published_sobol(std::size_t dimension, std::size_t count);

/// The first points with direction numbers that are drawn at random, the same ones for every study.
[[nodiscard]] std::vector<std::uint32_t> drawn_sobol(std::size_t dimension, std::size_t count);

}  // namespace nomu
