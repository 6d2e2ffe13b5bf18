#include "nomu/data/split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

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

/// Rows of each unit.
std::vector<std::size_t> sizes_of(const Units& units) {
  std::vector<std::size_t> sizes(units.count, 0);
  for (const std::size_t unit : units.of_row) ++sizes[unit];
  return sizes;
}

/// Row i goes to the part of its unit.
std::vector<std::size_t> by_row(const Units& units, std::span<const std::size_t> part_of_unit) {
  std::vector<std::size_t> part;
  part.reserve(units.of_row.size());
  for (const std::size_t unit : units.of_row) part.push_back(part_of_unit[unit]);
  return part;
}

Units single_rows(std::size_t rows) {
  Units units{.of_row = std::vector<std::size_t>(rows), .count = rows};
  std::iota(units.of_row.begin(), units.of_row.end(), std::size_t{0});
  return units;
}

/// All units in random order, stratum by stratum.
std::vector<std::size_t> drawn_order(const Units& units, std::uint64_t seed) {
  std::vector<std::size_t> order = Random(seed).permutation(units.count);
  if (!units.stratum.empty())
    std::ranges::stable_sort(order, {}, [&](std::size_t unit) { return units.stratum[unit]; });
  return order;
}

/// Equal rows have equal hashes; most different rows are told apart without comparing their numbers.
std::size_t hash_of(std::span<const double> row) {
  std::uint64_t hash = 0x9e3779b97f4a7c15U;
  for (const double value : row) {
    // 0 and -0 are equal.
    hash = (hash ^ std::bit_cast<std::uint64_t>(value == 0.0 ? 0.0 : value)) * 0xff51afd7ed558ccdU;
    hash ^= hash >> 32U;
  }
  return hash;
}

void check_group_count(std::size_t found, std::size_t needed) {
  if (found < needed) {
    throw DataError(where,
                    fmt::format("{} groups found, but at least {} are needed; use fewer folds or another group column",
                                found, needed));
  }
}

}  // namespace

Units distinct_rows(std::span<const double> inputs, std::size_t cols) {
  const std::size_t rows = cols == 0 ? 0 : inputs.size() / cols;
  const auto row = [&](std::size_t i) { return inputs.subspan(i * cols, cols); };
  std::vector<std::pair<std::size_t, std::size_t>> order;
  order.reserve(rows);
  for (std::size_t i = 0; i < rows; ++i) order.emplace_back(hash_of(row(i)), i);
  std::ranges::sort(order, [&](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    if (std::ranges::equal(row(a.second), row(b.second))) return a.second < b.second;
    return std::ranges::lexicographical_compare(row(a.second), row(b.second));
  });
  std::vector<std::size_t> first(rows);
  for (std::size_t k = 0; k < rows; ++k) {
    const std::size_t i = order[k].second;
    const bool same =
        k > 0 && order[k].first == order[k - 1].first && std::ranges::equal(row(i), row(order[k - 1].second));
    first[i] = same ? first[order[k - 1].second] : i;
  }
  Units units{.of_row = std::vector<std::size_t>(rows), .count = 0};
  for (std::size_t i = 0; i < rows; ++i) units.of_row[i] = first[i] == i ? units.count++ : units.of_row[first[i]];
  return units;
}

Units group_units(std::span<const std::string> groups) {
  std::map<std::string_view, std::size_t> numbers;
  for (const std::string& name : groups) numbers.emplace(name, 0);
  Units units;
  for (auto& [name, number] : numbers) number = units.count++;
  for (const std::string& name : groups) units.of_row.push_back(numbers.at(name));
  return units;
}

Units stratified(Units units, std::span<const std::string> names) {
  if (names.empty()) return units;
  std::map<std::string_view, std::size_t> sizes;
  std::vector<std::string_view> name_of(units.count);
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::string_view& name = name_of[units.of_row[i]];
    if (name.data() != nullptr && name != names[i]) return units;
    if (name.data() == nullptr) ++sizes[names[i]];
    name = names[i];
  }
  std::vector<std::pair<std::size_t, std::string_view>> ranked;
  ranked.reserve(sizes.size());
  for (const auto& [name, size] : sizes) ranked.emplace_back(size, name);
  std::ranges::sort(ranked);
  std::map<std::string_view, std::size_t> place;
  for (const auto& [size, name] : ranked) place.emplace(name, place.size());
  for (const std::string_view name : name_of) units.stratum.push_back(place.at(name));
  return units;
}

Split unit_split(const Units& units, double test_fraction, std::uint64_t seed) {
  check_fraction(test_fraction);
  if (units.count < 2) {
    throw DataError(where, fmt::format("{} rows cannot be split; at least 2 are needed", units.count));
  }
  const std::vector<std::size_t> order = drawn_order(units, seed);
  const std::size_t wanted = test_count(units.count, test_fraction);
  std::vector<std::size_t> part(units.count, 0);
  for (std::size_t i = 0; i < units.count; ++i) {
    // Within a stratum the order is random, so units at regular distances are as random as the first ones.
    const bool chosen = units.stratum.empty() ? i < wanted : (i + 1) * wanted / units.count > i * wanted / units.count;
    part[order[i]] = chosen ? 1 : 0;
  }
  return split_by(by_row(units, part), 1);
}

std::vector<Split> unit_folds(const Units& units, std::size_t k, std::uint64_t seed) {
  check_folds(k);
  if (k > units.count)
    throw ConfigError(where, fmt::format("{} folds requested, but there are only {} rows", k, units.count));
  const std::vector<std::size_t> order = drawn_order(units, seed);
  std::vector<std::size_t> fold(units.count);
  for (std::size_t i = 0; i < units.count; ++i) fold[order[i]] = i % k;
  const std::vector<std::size_t> fold_of_row = by_row(units, fold);
  std::vector<Split> splits;
  for (std::size_t f = 0; f < k; ++f) splits.push_back(split_by(fold_of_row, f));
  return splits;
}

Split random_split(std::size_t rows, double test_fraction, std::uint64_t seed) {
  return unit_split(single_rows(rows), test_fraction, seed);
}

std::vector<Split> k_folds(std::size_t rows, std::size_t k, std::uint64_t seed) {
  return unit_folds(single_rows(rows), k, seed);
}

std::vector<Split> group_folds(std::span<const std::string> groups, std::size_t k, std::uint64_t seed) {
  check_folds(k);
  const Units found = group_units(groups);
  const std::vector<std::size_t> sizes = sizes_of(found);
  check_group_count(found.count, k);
  std::vector<std::size_t> order = Random(seed).permutation(found.count);
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t group) { return sizes[group]; });
  std::vector<std::size_t> load(k, 0);
  std::vector<std::size_t> fold_of_group(found.count);
  for (const std::size_t group : order) {
    const auto lightest = static_cast<std::size_t>(std::ranges::min_element(load) - load.begin());
    fold_of_group[group] = lightest;
    load[lightest] += sizes[group];
  }
  const std::vector<std::size_t> fold = by_row(found, fold_of_group);
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
