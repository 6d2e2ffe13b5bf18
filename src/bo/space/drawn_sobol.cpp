// Sobol's sequence as it was before the published direction numbers were used. Studies that were created with it are
// still continued with it: their file does not name a generator, and `verify` recomputes their points bit for bit.

#include <array>
#include <bit>

#include "bo/space/sobol.hpp"
#include "nomu/core/random.hpp"

namespace nomu {
namespace {

constexpr std::uint32_t direction_stream = 0x64736E32;
constexpr int words = 32;  // bits of a coordinate

/// Whether x has the largest possible order modulo the polynomial over GF(2): then it is primitive.
bool is_primitive(std::uint32_t polynomial) {
  const int degree = static_cast<int>(std::bit_width(polynomial)) - 1;
  const std::uint32_t period = (1U << degree) - 1U;
  std::uint32_t power = 1;
  for (std::uint32_t k = 1; k <= period; ++k) {
    power <<= 1U;
    if ((power >> degree & 1U) != 0) power ^= polynomial;
    if (power == 1) return k == period;
  }
  return false;
}

std::uint32_t next_primitive(std::uint32_t polynomial) {
  do {
    polynomial += 2;  // the constant term of a primitive polynomial is 1
  } while (!is_primitive(polynomial));
  return polynomial;
}

/// Direction numbers of one coordinate. The first `degree` of them may be any odd numbers; they are drawn, so that
/// coordinates with neighbouring polynomials do not move together.
std::array<std::uint32_t, words> directions(std::uint32_t polynomial, std::size_t coordinate) {
  const int degree = static_cast<int>(std::bit_width(polynomial)) - 1;
  Random random(coordinate, direction_stream);
  std::array<std::uint32_t, words> v{};
  for (int i = 0; i < words; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (i < degree) {
      const auto odd = static_cast<std::uint32_t>(random.below(1ULL << i)) * 2U + 1U;
      v[at] = odd << (words - 1 - i);
      continue;
    }
    v[at] = v[static_cast<std::size_t>(i - degree)] ^ (v[static_cast<std::size_t>(i - degree)] >> degree);
    for (int k = 1; k < degree; ++k) {
      if ((polynomial >> (degree - k) & 1U) != 0) v[at] ^= v[static_cast<std::size_t>(i - k)];
    }
  }
  return v;
}

}  // namespace

std::vector<std::uint32_t> drawn_sobol(std::size_t dimension, std::size_t count) {
  std::vector<std::uint32_t> points(count * dimension);
  std::uint32_t polynomial = 1;  // the first coordinate is van der Corput's sequence, of degree 0
  for (std::size_t j = 0; j < dimension; ++j) {
    std::array<std::uint32_t, words> v{};
    if (j == 0) {
      for (std::size_t i = 0; i < words; ++i) v[i] = 1U << (words - 1 - i);
    } else {
      polynomial = next_primitive(polynomial);
      v = directions(polynomial, j);
    }
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      points[i * dimension + j] = value;
      value ^= v[static_cast<std::size_t>(std::countr_one(i)) % words];  // the order of Gray's code
    }
  }
  return points;
}

}  // namespace nomu
