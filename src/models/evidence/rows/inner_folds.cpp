#include "models/evidence/rows/inner_folds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <string_view>

#include "nomu/core/random.hpp"

namespace nomu {
namespace {

std::vector<Split> splits_of(const std::vector<std::size_t>& fold, std::size_t folds) {
  std::vector<Split> splits(folds);
  for (std::size_t i = 0; i < fold.size(); ++i) {
    for (std::size_t f = 0; f < folds; ++f) (fold[i] == f ? splits[f].test : splits[f].train).push_back(i);
  }
  return splits;
}

bool by_groups(const DataSet& data, std::size_t folds) {
  if (data.groups.empty()) return false;
  const std::set<std::string_view> groups(data.groups.begin(), data.groups.end());
  return groups.size() >= folds;
}

}  // namespace

std::vector<Split> inner_folds(const DataSet& data, std::size_t folds, std::uint64_t seed) {
  if (by_groups(data, folds)) return group_folds(data.groups, folds, seed);
  std::vector<std::size_t> fold(data.rows());
  if (!data.times.empty()) {
    std::vector<std::size_t> order(data.rows());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return data.times[i]; });
    for (std::size_t k = 0; k < order.size(); ++k) fold[order[k]] = k * folds / order.size();
    return splits_of(fold, folds);
  }
  Units units = distinct_rows(data.inputs, data.cols());
  if (units.count < 2 * folds) {  // hardly any distinct inputs: what differs between their rows is noise
    std::iota(units.of_row.begin(), units.of_row.end(), std::size_t{0});
    units.count = data.rows();
  }
  const std::vector<std::size_t> place = Random(seed).permutation(units.count);
  for (std::size_t i = 0; i < data.rows(); ++i) fold[i] = place[units.of_row[i]] % folds;
  return splits_of(fold, folds);
}

std::vector<Split> one_part_each(std::vector<Split> folds) {
  for (std::size_t f = 0; f < folds.size(); ++f) folds[(f + 1) % folds.size()].train = folds[f].test;
  return folds;
}

std::vector<std::size_t> judging_rows(const DataSet& data, std::span<const Split> folds) {
  std::vector<std::size_t> all(data.rows());
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (data.times.empty() || by_groups(data, folds.size())) return all;
  std::vector<std::size_t> rows;
  for (const Split& fold : folds) {
    double from = std::numeric_limits<double>::infinity();
    for (const std::size_t i : fold.test) from = std::min(from, data.times[i]);
    const auto before = std::ranges::count_if(fold.train, [&](std::size_t i) { return data.times[i] < from; });
    const double share = static_cast<double>(before) / static_cast<double>(fold.train.size());
    const auto parts = std::lround(share * static_cast<double>(folds.size() - 1));
    for (std::int64_t k = 0; k < parts; ++k) rows.insert(rows.end(), fold.test.begin(), fold.test.end());
  }
  return rows.empty() ? all : rows;  // empty: hardly any row is earlier than another
}

std::vector<double> values_at(std::span<const double> values, std::span<const std::size_t> rows) {
  std::vector<double> chosen;
  chosen.reserve(rows.size());
  for (const std::size_t i : rows) chosen.push_back(values[i]);
  return chosen;
}

}  // namespace nomu
