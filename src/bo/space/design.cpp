// Points to begin with: Latin hypercubes, Sobol's sequence, uniform draws.

#include <array>
#include <bit>

#include "bo/space/feasible.hpp"
#include "nomu/bo/space.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/random.hpp"

namespace nomu {
namespace {

constexpr std::uint32_t cube_stream = 0x64736E31;
constexpr std::uint32_t shift_stream = 0x64736E32;
constexpr std::uint32_t uniform_stream = 0x64736E33;
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

/// Direction numbers of one coordinate. The first `degree` ones are free but for being odd: they are drawn, the same
/// for everybody, so that coordinates with neighbouring polynomials do not move together.
std::array<std::uint32_t, words> directions(std::uint32_t polynomial, std::size_t coordinate) {
  const int degree = static_cast<int>(std::bit_width(polynomial)) - 1;
  Random random(coordinate, shift_stream);
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

std::vector<double> latin_hypercube(std::size_t dimension, std::size_t count, std::uint64_t seed) {
  Random random(seed, cube_stream);
  std::vector<double> points(count * dimension);
  for (std::size_t j = 0; j < dimension; ++j) {
    const std::vector<std::size_t> order = random.permutation(count);
    for (std::size_t i = 0; i < count; ++i) {
      points[i * dimension + j] = (static_cast<double>(order[i]) + random.uniform()) / static_cast<double>(count);
    }
  }
  return points;
}

}  // namespace

std::vector<double> sobol_points(std::size_t dimension, std::size_t count, std::uint64_t seed) {
  Random random(seed, shift_stream);
  std::vector<double> points(count * dimension);
  std::uint32_t polynomial = 1;  // the first coordinate is van der Corput's sequence, of degree 0
  for (std::size_t j = 0; j < dimension; ++j) {
    std::array<std::uint32_t, words> v{};
    if (j == 0) {
      for (std::size_t i = 0; i < words; ++i) v[i] = 1U << (words - 1 - i);
    } else {
      polynomial = next_primitive(polynomial);
      v = directions(polynomial, j);
    }
    std::uint32_t value = random.bits();
    for (std::size_t i = 0; i < count; ++i) {
      points[i * dimension + j] = (static_cast<double>(value) + 0.5) / 4294967296.0;
      value ^= v[static_cast<std::size_t>(std::countr_one(i)) % words];  // the order of Gray's code
    }
  }
  return points;
}

Point random_point(const Space& space, std::uint64_t seed, std::uint32_t number) {
  Random random(derived_seed(seed, number), uniform_stream);
  std::vector<double> unit(space.size());
  constexpr int as_drawn = 100;
  for (int attempt = 0; attempt < 1000; ++attempt) {
    for (double& u : unit) u = random.uniform();
    Point point = space.from_unit(unit);
    if (space.feasible(point)) return point;
    if (attempt >= as_drawn && move_to_feasible(space, random, point)) return point;
  }
  throw ConfigError("bo/space", "no point was found that meets all constraints; check their signs and the bounds");
}

std::vector<Point> initial_design(const Space& space, DesignKind kind, std::size_t count, std::uint64_t seed) {
  std::vector<Point> design;
  std::vector<double> unit;
  if (kind == DesignKind::latin_hypercube) unit = latin_hypercube(space.size(), count, seed);
  if (kind == DesignKind::sobol) unit = sobol_points(space.size(), count, seed);
  for (std::size_t i = 0; i < count; ++i) {
    const auto number = static_cast<std::uint32_t>(i);
    Point point;
    if (kind != DesignKind::uniform) point = space.from_unit(std::span(unit).subspan(i * space.size(), space.size()));
    if (point.empty() || !space.feasible(point)) point = random_point(space, seed, number);
    design.push_back(std::move(point));
  }
  return design;
}

}  // namespace nomu
