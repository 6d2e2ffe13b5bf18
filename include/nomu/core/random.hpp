#pragma once
/// Random numbers from a counter-based generator (Philox 4x32-10): values depend only on (seed, purpose, index).

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace nomu {

/// A seed for the `attempt`-th variation of something seeded with `seed`; neighbouring seeds give unrelated ones.
[[nodiscard]] std::uint64_t derived_seed(std::uint64_t seed, std::uint64_t attempt);

/// Sequential draws from the counter-based generator. Two objects with the same seed and stream give the same numbers
/// on every machine (normals: up to the last digits of the platform's log and cos).
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint32_t stream = 0) : seed_(seed), stream_(stream) {}

  [[nodiscard]] std::uint32_t bits();                      ///< 32 random bits
  [[nodiscard]] double uniform();                          ///< in [0, 1), 53 bits
  [[nodiscard]] double uniform(double low, double high);   ///< in [low, high)
  [[nodiscard]] double normal();                           ///< standard normal
  [[nodiscard]] std::uint64_t below(std::uint64_t bound);  ///< in {0, ..., bound-1}, without bias; bound > 0
  [[nodiscard]] std::vector<std::size_t> permutation(std::size_t count);  ///< a shuffled 0, ..., count-1

 private:
  std::uint64_t seed_;
  std::uint32_t stream_;
  std::uint64_t drawn_ = 0;
  std::array<std::uint32_t, 4> words_{};
};

}  // namespace nomu
