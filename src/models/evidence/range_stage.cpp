#include "models/evidence/range_stage.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "models/evidence/rows/inner_folds.hpp"
#include "nomu/eval/statistics.hpp"

namespace nomu {
namespace {

constexpr double step = 0.5;              ///< by which numbers are changed, towards the middle
constexpr std::size_t most_probed = 200;  ///< rows of a member
constexpr std::size_t fewest_probed = 4;
constexpr std::size_t most_numbers = 4'000'000;  ///< in memory

/// The columns of numbers. In very wide tables, since every probed row is kept once for each, only those that go most
/// with the target.
std::vector<std::size_t> probed_columns(const FoldedRows& member) {
  std::vector<std::size_t> columns;
  for (const InputBlock& block : input_blocks(member.plain)) {
    if (!block.names && !block.indicator) columns.push_back(block.first);
  }
  const std::size_t width = member.plain.cols() + member.steps.size();
  const std::size_t most = std::max<std::size_t>(most_numbers / (fewest_probed * width), 1);
  if (columns.size() <= most) return columns;
  std::vector<double> product(member.plain.cols(), 0.0);
  for (std::size_t i = 0; i < member.plain.rows(); ++i) {
    for (const std::size_t j : columns) product[j] += member.plain.row(i)[j] * member.plain.targets[i];
  }
  std::ranges::stable_sort(columns, std::greater<>(), [&](std::size_t j) { return std::abs(product[j]); });
  columns.resize(most);
  std::ranges::sort(columns);
  return columns;
}

/// Some rows of a member, each once as it is and once for every number that is changed, in the folds they belong to.
struct Probes {
  FoldedRows rows;
  std::vector<std::size_t> fold;  ///< [row of `rows`]
  std::vector<double> change;     ///< [row of `rows`], of its changed number
  std::size_t copies = 0;         ///< of each probed row, which are adjacent
};

Probes probes_of(const FoldedRows& member, std::span<const std::size_t> columns) {
  Probes probes{.rows = {}, .fold = {}, .change = {}, .copies = columns.size() + 1};
  const std::size_t cost = probes.copies * (member.plain.cols() + member.steps.size());
  const std::size_t wanted = std::clamp(most_numbers / cost, fewest_probed, most_probed);
  const std::size_t every = (member.plain.rows() + wanted - 1) / wanted;
  std::vector<std::size_t> sources;
  for (std::size_t f = 0; f < member.folds.size(); ++f) {
    Split& fold = probes.rows.folds.emplace_back();
    for (const std::size_t i : member.folds[f].test) {
      if (i % every != 0) continue;
      for (std::size_t c = 0; c < probes.copies; ++c) {
        fold.test.push_back(sources.size());
        probes.fold.push_back(f);
        sources.push_back(i);
      }
    }
  }
  DataSet& plain = probes.rows.plain = subset(member.plain, sources);
  probes.change.resize(plain.rows(), 0.0);
  for (std::size_t i = 0; i < plain.rows(); ++i) {
    if (i % probes.copies == 0) continue;
    double& value = plain.inputs[i * plain.cols() + columns[i % probes.copies - 1]];
    probes.change[i] = value > 0.0 ? -step : step;
    value = member.drawn.in(member.drawn.out(value) + probes.change[i]);
  }
  probes.rows.rows = with_steps(plain, member.steps, 1);
  return probes;
}

/// The slopes of the mean by the number that the probes' copy `copy` changes, in every probed row.
std::vector<double> slopes_of(const std::vector<double>& means, const Probes& probes, std::size_t copy) {
  std::vector<double> slopes;
  for (std::size_t i = 0; i < means.size(); i += probes.copies)
    slopes.push_back((means[i + copy] - means[i]) / probes.change[i + copy]);
  return slopes;
}

}  // namespace

std::vector<BeyondRange> ranges_of(std::span<const FoldedRows> members, std::span<const Chosen> chosen,
                                   std::span<const Trend> trends, std::span<const double> most,
                                   const engine::Networks& networks, const Tensor<float>& front, Engine& engine) {
  const std::size_t folds = members.front().folds.size();
  std::vector<BeyondRange> ranges;
  std::vector<std::vector<std::size_t>> columns;
  std::vector<Probes> probes;
  std::vector<FoldedRows> probed;
  for (std::size_t m = 0; m < members.size(); ++m) {
    std::vector<std::size_t> all(members[m].plain.rows());
    std::iota(all.begin(), all.end(), std::size_t{0});
    ranges.push_back(range_of(members[m].plain, all, members[m].drawn));
    ranges.back().most = most[m];
    columns.push_back(probed_columns(members[m]));
    probes.push_back(probes_of(members[m], columns.back()));
    probed.push_back(std::move(probes.back().rows));
  }
  const UnseenOutputs outputs(probed, chosen.front().weights.size(), networks, front, engine);
  for (std::size_t m = 0; m < members.size(); ++m) {
    std::vector<double> means;
    for (std::size_t i = 0; i < probed[m].rows.rows(); ++i) {
      means.push_back(trends[m * folds + probes[m].fold[i]].at(probed[m].rows.row(i)));
      for (std::size_t k = 0; k < chosen[m].weights.size(); ++k)
        means.back() += chosen[m].weights[k] * outputs.at(m, k, i, 0);
    }
    if (!std::ranges::all_of(means, [](double value) { return std::isfinite(value); })) continue;
    for (std::size_t c = 0; c < columns[m].size(); ++c) {
      const std::vector<double> slopes = slopes_of(means, probes[m], c + 1);
      if (slopes.size() < 2) continue;
      ranges[m].slope[columns[m][c]] = std::abs(mean(slopes));
      ranges[m].bend[columns[m][c]] = standard_deviation(slopes);
    }
  }
  return ranges;
}

void heed_errors(BeyondRange& range, const FoldedRows& member, const std::vector<double>& errors,
                 const std::vector<double>& noise) {
  constexpr double factors[] = {1.0, 0.5, 0.25, 0.12, 0.06};
  constexpr double doubt = 0.1;  ///< of a factor of two, as a logarithm of likelihood
  const std::vector<double> beyond = beyond_folds(member, range);
  double best = -std::numeric_limits<double>::infinity();
  double chosen = 1.0;
  for (const double factor : factors) {
    double score = -doubt * std::abs(std::log2(factor));
    for (const std::size_t i : member.judges) {
      if (beyond[i] == 0.0) continue;
      const double variance = std::pow(noise[i], 2) + std::pow(factor * beyond[i], 2);
      score -= 0.5 * weight_at(member.rows, i) * (std::log(variance) + std::pow(errors[i], 2) / variance);
    }
    if (!(score > best)) continue;
    best = score;
    chosen = factor;
  }
  for (double& slope : range.slope) slope *= chosen;
  for (double& bend : range.bend) bend *= chosen;
}

std::vector<double> beyond_folds(const FoldedRows& member, const BeyondRange& range) {
  std::vector<double> deviations(member.plain.rows(), 0.0);
  for (const Split& fold : member.folds) {
    if (fold.train.empty()) continue;
    BeyondRange own = range_of(member.plain, fold.train, member.drawn);
    own.slope = range.slope;
    own.bend = range.bend;
    own.most = range.most;
    for (const std::size_t i : fold.test) deviations[i] = own.deviation(member.plain.row(i));
  }
  return deviations;
}

Tensor<float> stored(std::span<const BeyondRange> ranges) {
  Tensor<float> all(ranges.size(), 1, ranges.front().numbers().size());
  for (std::size_t m = 0; m < ranges.size(); ++m) std::ranges::copy(ranges[m].numbers(), all.member(m).begin());
  return all;
}

}  // namespace nomu
