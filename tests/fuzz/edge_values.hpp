#pragma once
/// Numbers, texts and JSON at the edge of what a reader expects.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

namespace nomu {

using FuzzRandom = std::mt19937_64;

/// A number below `count`; 0 if there is none.
inline std::size_t below(std::size_t count, FuzzRandom& random) { return count == 0 ? 0 : random() % count; }

template <class List>
const auto& one_of(const List& list, FuzzRandom& random) {
  return list[below(std::size(list), random)];
}

inline constexpr std::array<std::uint64_t, 18> edge_counts = {
    0,          1,           2,          3,          4,           7,          24,         255,        65535,
    0x7fffffff, 0x100000000, 1ULL << 40, 1ULL << 61, 1ULL << 62U, 1ULL << 63, ~0ULL >> 1, ~0ULL - 15, ~0ULL};

inline constexpr std::array<double, 14> edge_numbers = {0.0,
                                                        -0.0,
                                                        1.0,
                                                        -1.0,
                                                        0.5,
                                                        1e-300,
                                                        -1e-40,
                                                        3e38,
                                                        -3e38,
                                                        1.7e308,
                                                        -1.7e308,
                                                        std::numeric_limits<double>::infinity(),
                                                        -std::numeric_limits<double>::infinity(),
                                                        std::numeric_limits<double>::quiet_NaN()};

[[nodiscard]] const std::vector<std::string>& edge_texts();

/// Changes, repeats or removes something at a random place of `node`; returns what was done. `path` is the node's name.
std::string change_json(nlohmann::json& node, FuzzRandom& random, std::string path);

}  // namespace nomu
