#pragma once
// Philox 4x32-10 (Salmon et al. 2011): a random number is a pure function of a counter and a key, so a member's numbers
// depend only on its own seed, and CPU and GPU draw the same ones in any order.

#include <cstdint>

#include "core/host_device.hpp"

namespace nomu {

struct PhiloxBlock {
  std::uint32_t word[4];
};

/// Ten rounds over the counter (c0..c3) under the key (k0, k1).
NOMU_HD inline PhiloxBlock philox_block(std::uint32_t c0, std::uint32_t c1, std::uint32_t c2, std::uint32_t c3,
                                        std::uint32_t k0, std::uint32_t k1) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53U} * c0;
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57U} * c2;
    c0 = static_cast<std::uint32_t>(p1 >> 32U) ^ c1 ^ k0;
    c2 = static_cast<std::uint32_t>(p0 >> 32U) ^ c3 ^ k1;
    c1 = static_cast<std::uint32_t>(p1);
    c3 = static_cast<std::uint32_t>(p0);
    k0 += 0x9E3779B9U;
    k1 += 0xBB67AE85U;
  }
  return {{c0, c1, c2, c3}};
}

/// The top 24 bits as a float in [0, 1).
NOMU_HD inline float uniform_float(std::uint32_t bits) { return static_cast<float>(bits >> 8U) * 0x1p-24F; }

/// What a number is drawn for. Part of the counter, so that no two purposes share a number.
enum class Purpose : std::uint32_t { init, augment, dropout, shuffle, pool, restart, split, function, user };

/// A family of random words: one member's seed, one purpose, one place in the network (or 0), one step.
struct PhiloxStream {
  std::uint64_t seed;
  Purpose purpose;
  std::uint32_t place;
  std::uint32_t step;

  [[nodiscard]] NOMU_HD PhiloxBlock block(std::uint64_t index) const {
    return philox_block(static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32U), step,
                        (static_cast<std::uint32_t>(purpose) << 24U) | place, static_cast<std::uint32_t>(seed),
                        static_cast<std::uint32_t>(seed >> 32U));
  }
  [[nodiscard]] NOMU_HD std::uint32_t word(std::uint64_t index) const { return block(index / 4).word[index % 4]; }
  [[nodiscard]] NOMU_HD float uniform(std::uint64_t index) const { return uniform_float(word(index)); }
};

}  // namespace nomu
