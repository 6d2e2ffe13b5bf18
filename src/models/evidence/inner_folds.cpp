#include "models/evidence/inner_folds.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <string_view>

#include "nomu/core/random.hpp"

namespace nomu {
namespace {

/// For each row the number of its inputs among the distinct ones, in the order of their first appearance.
std::vector<std::size_t> distinct_inputs(const DataSet& data, std::size_t& count) {
  std::vector<std::size_t> order(data.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto before = [&](std::size_t a, std::size_t b) {
    if (std::ranges::equal(data.row(a), data.row(b))) return a < b;
    return std::ranges::lexicographical_compare(data.row(a), data.row(b));
  };
  std::ranges::sort(order, before);
  std::vector<std::size_t> first(data.rows());
  for (std::size_t k = 0; k < order.size(); ++k) {
    const bool same = k > 0 && std::ranges::equal(data.row(order[k]), data.row(order[k - 1]));
    first[order[k]] = same ? first[order[k - 1]] : order[k];
  }
  std::vector<std::size_t> number(data.rows());
  count = 0;
  for (std::size_t i = 0; i < data.rows(); ++i) number[i] = first[i] == i ? count++ : number[first[i]];
  return number;
}

std::vector<Split> splits_of(const std::vector<std::size_t>& fold, std::size_t folds) {
  std::vector<Split> splits(folds);
  for (std::size_t i = 0; i < fold.size(); ++i) {
    for (std::size_t f = 0; f < folds; ++f) (fold[i] == f ? splits[f].test : splits[f].train).push_back(i);
  }
  return splits;
}

}  // namespace

std::vector<Split> inner_folds(const DataSet& data, std::size_t folds, std::uint64_t seed) {
  if (!data.groups.empty()) {
    const std::set<std::string_view> groups(data.groups.begin(), data.groups.end());
    if (groups.size() >= folds) return group_folds(data.groups, folds, seed);
  }
  std::vector<std::size_t> fold(data.rows());
  if (!data.times.empty()) {
    std::vector<std::size_t> order(data.rows());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return data.times[i]; });
    for (std::size_t k = 0; k < order.size(); ++k) fold[order[k]] = k * folds / order.size();
    return splits_of(fold, folds);
  }
  std::size_t count = 0;
  std::vector<std::size_t> number = distinct_inputs(data, count);
  if (count < 2 * folds) {  // hardly any distinct inputs: what differs between their rows is noise
    std::iota(number.begin(), number.end(), std::size_t{0});
    count = data.rows();
  }
  const std::vector<std::size_t> place = Random(seed).permutation(count);
  for (std::size_t i = 0; i < data.rows(); ++i) fold[i] = place[number[i]] % folds;
  return splits_of(fold, folds);
}

}  // namespace nomu
