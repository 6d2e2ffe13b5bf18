#include "bo/space/sobol.hpp"

#include <fmt/format.h>

#include <boost/random/sobol.hpp>

#include "nomu/bo/space.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/random.hpp"

namespace nomu {
namespace {

constexpr std::uint32_t shift_stream = 0x64736E32;
using Generator = boost::random::sobol_engine<std::uint32_t, 32>;

}  // namespace

std::vector<std::uint32_t> published_sobol(std::size_t dimension, std::size_t count) {
  constexpr std::size_t most = boost::random::default_sobol_table::max_dimension;
  if (dimension > most) {
    throw ConfigError("bo/space",
                      fmt::format("Sobol's sequence is known for up to {} variables, the space has {}; use another "
                                  "design, for example latin_hypercube",
                                  most, dimension));
  }
  std::vector<std::uint32_t> points(count * dimension, 0);
  // Boost leaves out the origin, without which the first 2^k points are no net.
  if (count > 1) Generator(dimension).generate(points.begin() + static_cast<std::ptrdiff_t>(dimension), points.end());
  return points;
}

std::vector<double> sobol_points(std::size_t dimension, std::size_t count, std::uint64_t seed, SobolNumbers numbers) {
  const std::vector<std::uint32_t> bits =
      numbers == SobolNumbers::published ? published_sobol(dimension, count) : drawn_sobol(dimension, count);
  Random random(seed, shift_stream);
  std::vector<std::uint32_t> shift(dimension);
  for (std::uint32_t& s : shift) s = random.bits();
  std::vector<double> points(bits.size());
  for (std::size_t i = 0; i < bits.size(); ++i) {
    points[i] = (static_cast<double>(bits[i] ^ shift[i % dimension]) + 0.5) / 4294967296.0;
  }
  return points;
}

}  // namespace nomu
