#pragma once
/// Splits rows into a training part and a test part. The same seed always gives the same parts, and row indices come
/// sorted.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace nomu {

/// Indices of rows; every row is in exactly one of the two.
struct Split {
  std::vector<std::size_t> train;
  std::vector<std::size_t> test;

  friend bool operator==(const Split&, const Split&) = default;
};

/// A random `test_fraction` of the rows, rounded, with at least one row on either side. Throws ConfigError when the
/// fraction is not inside (0, 1), DataError when there are fewer than two rows.
[[nodiscard]] Split random_split(std::size_t rows, double test_fraction, std::uint64_t seed);

/// k splits whose test parts partition the rows at random into sizes that differ by at most one. Throws ConfigError
/// when k < 2 or k > rows.
[[nodiscard]] std::vector<Split> k_folds(std::size_t rows, std::size_t k, std::uint64_t seed);

/// Moves whole groups, in random order, to the test part until it is as near to `test_fraction` of the rows as that
/// order allows. `groups` names the group of each row. Throws ConfigError for the fraction, DataError when there are
/// fewer than two groups.
[[nodiscard]] Split group_split(std::span<const std::string> groups, double test_fraction, std::uint64_t seed);

/// k splits whose test parts consist of whole groups. Larger groups are placed first, which keeps the parts about equal
/// in rows. Throws ConfigError when k < 2, DataError when there are fewer than k groups.
[[nodiscard]] std::vector<Split> group_folds(std::span<const std::string> groups, std::size_t k, std::uint64_t seed);

/// The latest rows, about `test_fraction` of all, as the test part; rows of the same time stay together. Throws
/// ConfigError for the fraction, DataError when all times are equal or one is not finite.
[[nodiscard]] Split time_split(std::span<const double> times, double test_fraction);

}  // namespace nomu
