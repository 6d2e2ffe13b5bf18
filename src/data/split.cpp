#include "nomu/data/split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "nomu/core/error.hpp"
#include "nomu/core/random.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "data/split";

void check_fraction(double fraction) {
  // Written so that NaN fails too.
  if (!(fraction > 0.0 && fraction < 1.0)) {
    throw ConfigError(where, fmt::format("the test fraction must lie between 0 and 1 (exclusive), got {}", fraction));
  }
}

void check_folds(std::size_t k) {
  if (k < 2) throw ConfigError(where, fmt::format("at least 2 folds are needed, got {}", k));
}

/// The requested number of test rows, leaving at least one row on either side.
std::size_t test_count(std::size_t rows, double fraction) {
  const auto wanted = static_cast<std::size_t>(std::llround(fraction * static_cast<double>(rows)));
  return std::clamp<std::size_t>(wanted, 1, rows - 1);
}

/// Row i goes to the test part when part[i] == test.
Split split_by(std::span<const std::size_t> part, std::size_t test) {
  Split split;
  for (std::size_t i = 0; i < part.size(); ++i) (part[i] == test ? split.test : split.train).push_back(i);
  return split;
}

struct Groups {
  std::vector<std::size_t> of_row;  ///< number of the group of each row
  std::vector<std::size_t> rows;    ///< rows of each group
};

/// Numbers the groups in the order of their names, so that the order of the rows does not matter.
Groups number_groups(std::span<const std::string> names) {
  std::map<std::string_view, std::size_t> numbers;
  for (const std::string& name : names) numbers.emplace(name, 0);
  std::size_t next = 0;
  for (auto& [name, number] : numbers) number = next++;
  Groups groups;
  groups.rows.assign(numbers.size(), 0);
  for (const std::string& name : names) {
    groups.of_row.push_back(numbers.at(name));
    ++groups.rows[groups.of_row.back()];
  }
  return groups;
}

void check_group_count(std::size_t found, std::size_t needed) {
  if (found < needed) {
    throw DataError(where,
                    fmt::format("{} groups found, but at least {} are needed; use fewer folds or another group column",
                                found, needed));
  }
}

}  // namespace

Split random_split(std::size_t rows, double test_fraction, std::uint64_t seed) {
  check_fraction(test_fraction);
  if (rows < 2) throw DataError(where, fmt::format("{} rows cannot be split; at least 2 are needed", rows));
  const std::vector<std::size_t> order = Random(seed).permutation(rows);
  std::vector<std::size_t> part(rows, 0);
  for (std::size_t i = 0; i < test_count(rows, test_fraction); ++i) part[order[i]] = 1;
  return split_by(part, 1);
}

std::vector<Split> k_folds(std::size_t rows, std::size_t k, std::uint64_t seed) {
  check_folds(k);
  if (k > rows) throw ConfigError(where, fmt::format("{} folds requested, but there are only {} rows", k, rows));
  const std::vector<std::size_t> order = Random(seed).permutation(rows);
  std::vector<std::size_t> fold(rows);
  for (std::size_t i = 0; i < rows; ++i) fold[order[i]] = i % k;
  std::vector<Split> splits;
  for (std::size_t f = 0; f < k; ++f) splits.push_back(split_by(fold, f));
  return splits;
}

Split group_split(std::span<const std::string> groups, double test_fraction, std::uint64_t seed) {
  check_fraction(test_fraction);
  const Groups found = number_groups(groups);
  check_group_count(found.rows.size(), 2);
  const std::vector<std::size_t> order = Random(seed).permutation(found.rows.size());
  const std::size_t wanted = test_count(groups.size(), test_fraction);
  std::vector<std::size_t> in_test(found.rows.size(), 0);
  std::size_t taken = 0;
  // The last group of the order is never taken, so the training part is not empty.
  for (std::size_t i = 0; i + 1 < order.size() && taken < wanted; ++i) {
    const std::size_t size = found.rows[order[i]];
    // Skip a group that would overshoot by more than is still missing.
    const bool overshoots = taken + size > wanted && taken + size - wanted > wanted - taken;
    if (overshoots) continue;
    in_test[order[i]] = 1;
    taken += size;
  }
  if (taken == 0) in_test[static_cast<std::size_t>(std::ranges::min_element(found.rows) - found.rows.begin())] = 1;
  std::vector<std::size_t> part;
  for (const std::size_t group : found.of_row) part.push_back(in_test[group]);
  return split_by(part, 1);
}

std::vector<Split> group_folds(std::span<const std::string> groups, std::size_t k, std::uint64_t seed) {
  check_folds(k);
  const Groups found = number_groups(groups);
  check_group_count(found.rows.size(), k);
  std::vector<std::size_t> order = Random(seed).permutation(found.rows.size());
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t group) { return found.rows[group]; });
  std::vector<std::size_t> load(k, 0);
  std::vector<std::size_t> fold_of_group(found.rows.size());
  for (const std::size_t group : order) {
    const auto lightest = static_cast<std::size_t>(std::ranges::min_element(load) - load.begin());
    fold_of_group[group] = lightest;
    load[lightest] += found.rows[group];
  }
  std::vector<std::size_t> fold;
  for (const std::size_t group : found.of_row) fold.push_back(fold_of_group[group]);
  std::vector<Split> splits;
  for (std::size_t f = 0; f < k; ++f) splits.push_back(split_by(fold, f));
  return splits;
}

Split time_split(std::span<const double> times, double test_fraction) {
  check_fraction(test_fraction);
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!std::isfinite(times[i])) {
      throw DataError(where,
                      fmt::format("the time of row {} (counted from 0) is {}; every time must be finite", i, times[i]));
    }
  }
  std::vector<double> sorted(times.begin(), times.end());
  std::ranges::sort(sorted);
  if (sorted.empty() || sorted.front() == sorted.back()) {
    throw DataError(
        where,
        fmt::format(
            "the {} rows have fewer than two different times, so they cannot be split into earlier and later ones",
            times.size()));
  }
  const std::size_t wanted = test_count(sorted.size(), test_fraction);
  // Cut before the tie that the wanted cut falls into, or after it if that is nearer or no row comes before the tie.
  const double tie = sorted[sorted.size() - wanted];
  const auto tie_begin = std::lower_bound(sorted.begin(), sorted.end(), tie);
  const auto tie_end = std::upper_bound(sorted.begin(), sorted.end(), tie);
  const auto cut = sorted.end() - static_cast<std::ptrdiff_t>(wanted);
  const bool after = tie_begin == sorted.begin() || (tie_end != sorted.end() && tie_end - cut < cut - tie_begin);
  const double first_test_time = after ? *tie_end : *tie_begin;
  Split split;
  for (std::size_t i = 0; i < times.size(); ++i) (times[i] >= first_test_time ? split.test : split.train).push_back(i);
  return split;
}

}  // namespace nomu
