#include "paper/problems/paper_split.hpp"

#include <fmt/format.h>

#include <bit>
#include <numeric>
#include <random>
#include <utility>

#include "nomu/core/error.hpp"

namespace nomu {
namespace {

/// A number in {0, ..., last}: draws words masked to the bits of `last` until one is at most `last`.
std::uint32_t draw_up_to(std::uint32_t last, std::mt19937& words) {
  const auto mask = static_cast<std::uint32_t>(std::bit_ceil(std::uint64_t{last} + 1) - 1);
  while (true) {
    const auto word = static_cast<std::uint32_t>(words()) & mask;
    if (word <= last) return word;
  }
}

}  // namespace

Split paper_split(std::size_t rows, std::size_t test_rows, std::uint32_t seed) {
  if (test_rows == 0 || test_rows >= rows) {
    throw ConfigError("paper/split", fmt::format("{} test rows cannot be taken from {} rows", test_rows, rows));
  }
  std::vector<std::size_t> order(rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937 words(seed);
  for (std::size_t i = rows - 1; i > 0; --i) {
    std::swap(order[i], order[draw_up_to(static_cast<std::uint32_t>(i), words)]);
  }
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(test_rows);
  return {.train = {middle, order.end()}, .test = {order.begin(), middle}};
}

}  // namespace nomu
