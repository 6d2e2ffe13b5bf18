#include "nomu/core/random.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "core/philox.hpp"

namespace nomu {

std::uint64_t derived_seed(std::uint64_t seed, std::uint64_t attempt) {
  const PhiloxBlock b = PhiloxStream{seed, Purpose::restart, 0, 0}.block(attempt);
  return (std::uint64_t{b.word[1]} << 32U) | b.word[0];
}

std::uint32_t Random::bits() {
  const std::uint64_t lane = drawn_ % 4;
  if (lane == 0) {
    const PhiloxBlock b = PhiloxStream{seed_, Purpose::user, 0, stream_}.block(drawn_ / 4);
    words_ = {b.word[0], b.word[1], b.word[2], b.word[3]};
  }
  ++drawn_;
  return words_[lane];
}

double Random::uniform() {
  const std::uint64_t high = bits() >> 5U;
  const std::uint64_t low = bits() >> 6U;
  return static_cast<double>((high << 26U) | low) * 0x1p-53;
}

double Random::uniform(double low, double high) { return low + (high - low) * uniform(); }

double Random::normal() {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

std::uint64_t Random::below(std::uint64_t bound) {
  const std::uint64_t limit =
      std::numeric_limits<std::uint64_t>::max() - std::numeric_limits<std::uint64_t>::max() % bound;
  for (;;) {
    const std::uint64_t high = bits();
    const std::uint64_t draw = (high << 32U) | bits();
    if (draw < limit) return draw % bound;
  }
}

std::vector<std::size_t> Random::permutation(std::size_t count) {
  std::vector<std::size_t> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = i;
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[below(i)]);
  return order;
}

}  // namespace nomu
