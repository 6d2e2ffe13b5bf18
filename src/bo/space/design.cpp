// Initial designs: Latin hypercubes, Sobol's sequence, uniform draws.

#include "bo/space/feasible.hpp"
#include "nomu/bo/space.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/random.hpp"

namespace nomu {
namespace {

constexpr std::uint32_t cube_stream = 0x64736E31;
constexpr std::uint32_t uniform_stream = 0x64736E33;

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

Point random_point(const Space& space, std::uint64_t seed, std::uint32_t number) {
  Random random(derived_seed(seed, number), uniform_stream);
  std::vector<double> unit(space.size());
  constexpr int uniform_attempts = 100;
  for (int attempt = 0; attempt < 1000; ++attempt) {
    for (double& u : unit) u = random.uniform();
    Point point = space.from_unit(unit);
    if (space.feasible(point)) return point;
    if (attempt >= uniform_attempts && move_to_feasible(space, random, point)) return point;
  }
  throw ConfigError("bo/space", "no point was found that meets all constraints; check their signs and the bounds");
}

std::vector<Point> initial_design(const Space& space, DesignKind kind, std::size_t count, std::uint64_t seed,
                                  SobolNumbers numbers) {
  std::vector<Point> design;
  std::vector<double> unit;
  if (kind == DesignKind::latin_hypercube) unit = latin_hypercube(space.size(), count, seed);
  if (kind == DesignKind::sobol) unit = sobol_points(space.size(), count, seed, numbers);
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
