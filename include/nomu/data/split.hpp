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

/// Rows that belong together: those of one unit are never split.
struct Units {
  std::vector<std::size_t> of_row;  ///< the unit of each row, numbered 0, 1, ... without gaps
  std::size_t count = 0;
  /// [count], the stratum of each unit. Splits take the same share of every stratum, up to one unit; empty: no strata.
  std::vector<std::size_t> stratum = {};

  friend bool operator==(const Units&, const Units&) = default;
};

/// The units with a stratum for each of the rows' `names` [n]. Strata are numbered by size, the smallest first, so that
/// splits also take an even share of all small ones together. Adds no strata if a unit has rows of several names.
[[nodiscard]] Units stratified(Units units, std::span<const std::string> names);

/// Rows with equal inputs [n][cols] are one unit; numbered in the order of their first rows.
[[nodiscard]] Units distinct_rows(std::span<const double> inputs, std::size_t cols);

/// Rows of the same group are one unit; numbered in the order of their names.
[[nodiscard]] Units group_units(std::span<const std::string> groups);

/// A random `test_fraction` of the units, rounded, with at least one on either side. Which units are chosen depends on
/// nothing but their number and strata, so that those of the test part are like new ones. If every row is a unit, this
/// is `random_split`. Throws like it.
[[nodiscard]] Split unit_split(const Units& units, double test_fraction, std::uint64_t seed);

/// k splits whose test parts partition the units at random into parts whose sizes differ by at most one; `k_folds` if
/// every row is a unit. Throws ConfigError when k < 2 or k > units.
[[nodiscard]] std::vector<Split> unit_folds(const Units& units, std::size_t k, std::uint64_t seed);

/// A random `test_fraction` of the rows, rounded, with at least one row on either side. Throws ConfigError when the
/// fraction is not inside (0, 1), DataError when there are fewer than two rows.
[[nodiscard]] Split random_split(std::size_t rows, double test_fraction, std::uint64_t seed);

/// k splits whose test parts partition the rows at random into sizes that differ by at most one. Throws ConfigError
/// when k < 2 or k > rows.
[[nodiscard]] std::vector<Split> k_folds(std::size_t rows, std::size_t k, std::uint64_t seed);

/// k splits whose test parts consist of whole groups; `groups` names the group of each row. Larger groups are placed
/// first, which keeps the parts about equal in rows. Throws ConfigError when k < 2, DataError when there are fewer than
/// k groups.
[[nodiscard]] std::vector<Split> group_folds(std::span<const std::string> groups, std::size_t k, std::uint64_t seed);

/// The latest rows, about `test_fraction` of all, as the test part; rows of the same time stay together. Throws
/// ConfigError for the fraction, DataError when all times are equal or one is not finite.
[[nodiscard]] Split time_split(std::span<const double> times, double test_fraction);

}  // namespace nomu
