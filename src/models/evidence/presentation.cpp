#include "models/evidence/presentation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/team.hpp"
#include "models/evidence/rows/folded_rows.hpp"
#include "models/evidence/rows/inner_folds.hpp"
#include "models/evidence/rows/trend.hpp"

namespace nomu {
namespace {

constexpr double far_reach = 300.0;          ///< numbers so far from the median still act in proportion
constexpr double straight_up_to = 3.0;       ///< deviations from the median; numbers so near act in proportion ...
constexpr double straight_reach = 5.0;       ///< ... while the others are drawn in to within this many
constexpr double worthwhile = 0.25;          ///< log-likelihood per row that far numbers must be worth
constexpr std::size_t enough_rows = 50'000;  ///< more hardly change what linear models say
constexpr double in_step = 0.9;              ///< rank correlation with time above which a number only tells the time

/// Ways to scale: all numbers drawn in, hardly any, or only those far from the median.
constexpr std::size_t near = 0, far = 1, straight = 2;

/// Steps of every number of the rows, exactly `count` for each so that all members have as many inputs.
std::vector<Step> all_steps(const DataSet& scaled, std::size_t count, std::int64_t threads) {
  std::vector<std::size_t> numbers;
  for (const InputBlock& block : input_blocks(scaled)) {
    if (!block.names && !block.indicator) numbers.push_back(block.first);
  }
  std::vector<Step> steps(numbers.size() * count);
  if (count == 0) return steps;
  side_by_side(numbers.size(), threads, [&](std::size_t k) {
    std::vector<double> values;
    for (std::size_t i = 0; i < scaled.rows(); ++i) values.push_back(scaled.row(i)[numbers[k]]);
    std::vector<Step> own = steps_of(std::move(values), numbers[k], count);
    own.resize(count, {numbers[k], 0.0, 0.0});
    std::ranges::copy(own, steps.begin() + static_cast<std::ptrdiff_t>(k * count));
  });
  return steps;
}

/// Fewer steps where there are many numbers: together they should not outnumber the rows by far, nor cost too much.
std::size_t steps_per_number(const EvidenceSpec& spec, const DataSet& data) {
  constexpr std::size_t most = 240;
  std::size_t numbers = 0;
  for (const InputBlock& block : input_blocks(data)) numbers += block.names || block.indicator ? 0 : 1;
  if (numbers == 0) return 0;
  const std::size_t count = std::min(static_cast<std::size_t>(spec.steps), most / numbers);
  return count < 3 ? 0 : count;
}

DataSet scaled_inputs(const DataSet& data, const Scaling& inputs) {
  DataSet scaled = data;
  scaled.inputs = inputs.apply(data.inputs);
  return scaled;
}

/// Ranks 0 to 1, those of equal values averaged.
std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (std::size_t k = 0; k < order.size();) {
    std::size_t end = k;
    while (end < order.size() && values[order[end]] == values[order[k]]) ++end;
    for (std::size_t e = k; e < end; ++e) ranks[order[e]] = static_cast<double>(k + end - 1) / 2.0;
    k = end;
  }
  return ranks;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto n = static_cast<double>(a.size());
  const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / n;
  const double mean_b = std::accumulate(b.begin(), b.end(), 0.0) / n;
  double ab = 0.0;
  double aa = 0.0;
  double bb = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return aa > 0.0 && bb > 0.0 ? ab / std::sqrt(aa * bb) : 0.0;
}

/// Numbers that rise or fall with time, such as the month in the rows of one year: for a later row they take values
/// that no earlier row had.
std::vector<std::size_t> clocks(const DataSet& data) {
  std::vector<std::size_t> found;
  const std::vector<double> time = ranks_of(data.times);
  for (const InputBlock& block : input_blocks(data)) {
    if (block.names || block.indicator) continue;
    std::vector<double> values;
    for (std::size_t i = 0; i < data.rows(); ++i) values.push_back(data.row(i)[block.first]);
    if (std::abs(correlation(ranks_of(values), time)) > in_step) found.push_back(block.first);
  }
  return found;
}

/// The latest fifth, to be predicted from the rows before.
Split later_rows(const std::vector<double>& times) {
  std::vector<std::size_t> order(times.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return times[i]; });
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(order.size() * 4 / 5);
  Split split{.train = {order.begin(), middle}, .test = {middle, order.end()}};
  std::ranges::sort(split.train);
  std::ranges::sort(split.test);
  return split;
}

/// Without the numbers that tell the time, where later rows are better predicted so.
Scaling without_clocks(const DataSet& data, const Scaling& inputs, std::int64_t threads) {
  if (data.times.empty() || data.rows() < 50) return inputs;
  const std::vector<std::size_t> found = clocks(data);
  if (found.empty()) return inputs;
  Scaling without = inputs;
  for (const std::size_t j : found) without.factor[j] = std::numeric_limits<double>::max();  // every value becomes 0
  const std::vector<Split> later{later_rows(data.times)};
  const auto loss = [&](const Scaling& scaling) {
    return linear_loss(linear_errors(scaled_inputs(data, scaling), later, threads));
  };
  return loss(without) < loss(inputs) ? without : inputs;
}

/// At most `most` rows at equal distances.
DataSet some_rows(const DataSet& data, std::size_t most) {
  const std::size_t step = (data.rows() + most - 1) / most;
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < data.rows(); i += step) chosen.push_back(i);
  return subset(data, chosen);
}

/// The inputs under one scaling, with steps or, if a linear model predicts better so, without their effect.
struct Tried {
  std::vector<Step> steps;
  DataSet rows;
  std::vector<double> errors;  ///< of linear models at unseen rows
  double loss = 0.0;
  double plain_loss = 0.0;  ///< without steps
};

/// They remain inputs, since all versions have as many, but are 0 in every row.
void remove_steps(std::vector<Step>& steps) {
  for (Step& step : steps) step.width = 0.0;
}

bool has_effect(const std::vector<Step>& steps) {
  return std::ranges::any_of(steps, [](const Step& step) { return step.width > 0.0; });
}

/// Whether `a` predicts unseen rows so much better than `b` that it cannot be chance.
bool far_better(const Tried& a, const Tried& b) {
  if (!(a.loss < b.loss - worthwhile)) return false;
  std::vector<double> gain = b.errors;
  double sum = 0.0;
  for (std::size_t i = 0; i < gain.size(); ++i) sum += gain[i] = gain[i] * gain[i] - a.errors[i] * a.errors[i];
  const double mean = sum / static_cast<double>(gain.size());
  double squares = 0.0;
  for (const double one : gain) squares += (one - mean) * (one - mean);
  return sum > 2.0 * std::sqrt(squares);
}

Tried with_or_without_steps(const EvidenceSpec& spec, const DataSet& data, const Scaling& inputs,
                            std::span<const Split> folds, std::int64_t threads) {
  const DataSet plain = scaled_inputs(data, inputs);
  Tried tried{.steps = all_steps(plain, steps_per_number(spec, data), threads), .rows = {}, .errors = {}};
  tried.rows = with_steps(plain, tried.steps, threads);
  tried.errors = linear_errors(tried.rows, folds, threads);
  tried.loss = linear_loss(tried.errors);
  tried.plain_loss = tried.loss;
  if (tried.steps.empty()) return tried;
  std::vector<double> plain_errors = linear_errors(plain, folds, threads);
  tried.plain_loss = linear_loss(plain_errors);
  if (tried.plain_loss < tried.loss) {
    remove_steps(tried.steps);
    tried.rows = with_steps(plain, tried.steps, threads);
    tried.errors = std::move(plain_errors);
    tried.loss = tried.plain_loss;
  }
  return tried;
}

}  // namespace

std::vector<Presentation> presentations_of(const EvidenceSpec& spec, const DataSet& all, const Scaling& inputs,
                                           std::uint64_t seed, std::int64_t threads) {
  if (all.rows() > enough_rows) return presentations_of(spec, some_rows(all, enough_rows), inputs, seed, threads);
  const DataSet& data = all;
  const Scaling start = without_clocks(data, inputs, threads);
  const std::vector<Split> folds = inner_folds(scaled_inputs(data, start), static_cast<std::size_t>(spec.folds), seed);
  std::vector<Scaling> scalings{start};
  if (start.reach > 0.0) {
    scalings.resize(3, start);
    scalings[far].reach = far_reach;
    scalings[straight].reach = straight_reach;
    scalings[straight].straight = straight_up_to;
  }
  std::vector<Tried> tried(scalings.size());
  side_by_side(scalings.size(), threads, [&](std::size_t k) {
    tried[k] = with_or_without_steps(spec, data, scalings[k], folds, threads_of_each(scalings.size(), threads));
  });
  const auto presented = [&](std::size_t k) {
    return Presentation{.inputs = scalings[k], .steps = tried[k].steps, .folds = folds, .rows = tried[k].rows};
  };
  std::vector<Presentation> worth_trying{
      presented(tried.size() > 1 && far_better(tried[far], tried[near]) ? far : near)};
  // With times, too few rows are later than what their networks learned from to tell one way from another.
  const bool few_judges = !data.times.empty();
  if (tried.size() == 1 || few_judges || data.rows() > static_cast<std::size_t>(spec.most_rows)) return worth_trying;
  Presentation plain = presented(tried[far].plain_loss < tried[straight].plain_loss ? far : straight);
  remove_steps(plain.steps);
  if (plain.inputs == worth_trying.front().inputs && !has_effect(worth_trying.front().steps)) return worth_trying;
  plain.rows = with_steps(scaled_inputs(data, plain.inputs), plain.steps, threads);
  worth_trying.push_back(std::move(plain));
  return worth_trying;
}

}  // namespace nomu
