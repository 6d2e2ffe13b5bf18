// What a study's results say about its best point and its variables, and trials by a custom acquisition.

#include <algorithm>
#include <cmath>
#include <limits>

#include "bo/study/study_parts.hpp"
#include "bo/surrogate/importance.hpp"
#include "bo/surrogate/learned.hpp"
#include "nomu/core/random.hpp"

namespace nomu {
namespace {

constexpr std::uint64_t importance_purpose = 0x62696D70;

/// The finished trial at the point that the process expects to be the best.
std::optional<Trial> best_expected(const StudyStore& store, const Process& process, const History& history) {
  const auto mean_at = [&](const Point& point) { return process.at(store.space().to_inputs(point)).mean; };
  const auto worse = [&](const Point& a, const Point& b) { return mean_at(a) < mean_at(b); };
  const Point& point = *std::max_element(history.points.begin(), history.points.end(), worse);
  std::optional<Trial> best;
  for (Trial& trial : store.trials(0)) {
    if (trial.state == TrialState::finished && trial.point == point) best = std::move(trial);
  }
  return best;
}

/// Distance from the best of some results to the one that this share of them is not worse than; `worse`: less is
/// better.
double reach(std::vector<double> worse, double share) {
  const double best = *std::min_element(worse.begin(), worse.end());
  const auto place = worse.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(worse.size()));
  std::nth_element(worse.begin(), place, worse.end());
  return std::min(*place - best, std::numeric_limits<double>::max());
}

/// What an improvement is compared with. Later trials gather around the best one, and half of all results may equal it;
/// the first ones, or those of an earlier study, still say how much there was to gain. A quarter of them, because some
/// runs may have diverged.
double spread_of(const std::vector<double>& worse, std::size_t initial, const std::vector<double>& earlier) {
  constexpr double few = 0.25;
  const auto first = static_cast<std::ptrdiff_t>(std::min(worse.size(), std::max<std::size_t>(initial, 8)));
  double spread = std::max(reach(worse, 0.5), reach({worse.begin(), worse.begin() + first}, few));
  if (!earlier.empty()) spread = std::max(spread, reach(earlier, few));
  if (spread > 0.0) return spread;
  const double best = *std::min_element(worse.begin(), worse.end());
  const auto count = static_cast<double>(worse.size());
  double mean = 0.0;
  for (const double value : worse) mean += value / count - best / count;
  return 0.1 * mean;
}

/// The process of some of the rows, with the same kernel.
Process thinned(const Process& all, Random& random) {
  const Eigen::Index n = all.rows().rows();
  std::vector<Eigen::Index> kept;
  for (Eigen::Index i = 0; i < n; ++i) {
    if (random.uniform() < 2.0 / 3.0) kept.push_back(i);
  }
  if (kept.size() < 2) kept = {0, n - 1};
  return {all.rows().chosen(kept), all.kernel()};
}

}  // namespace

std::vector<Importance> Study::importances() const {
  const auto lock = parts_->lock();
  const History history = parts_->store.snapshot(spec()).history;
  const double sign = spec().direction == Direction::maximize ? 1.0 : -1.0;
  std::vector<Point> points;
  std::vector<double> values;
  if (history.points.size() >= 2) {
    for (const std::size_t k : spread_rows(space(), history.points)) {
      points.push_back(history.points[k]);
      values.push_back(sign * history.values[k]);
    }
  }
  const std::shared_ptr<const Learned> learned =
      values.empty() ? nullptr : learn(space(), points, values, {.noisy = spec().noisy});
  if (!learned) return {};
  const std::uint64_t seed = derived_seed(static_cast<std::uint64_t>(spec().seed), importance_purpose);
  const std::vector<double> shares = total_effects(learned->process, learned->warp, space(), seed);
  constexpr int models = 10;
  std::vector<double> squares(shares.size(), 0.0);
  Random random(seed);
  for (int k = 0; k < models; ++k) {
    const Process other = thinned(learned->process, random);
    // Points of its own for each, or what is due to their choice would cancel.
    const std::uint64_t own = derived_seed(seed, static_cast<std::uint64_t>(k) + 1);
    const std::vector<double> others = other.valid() ? total_effects(other, learned->warp, space(), own) : shares;
    for (std::size_t j = 0; j < shares.size(); ++j) squares[j] += std::pow(others[j] - shares[j], 2) / models;
  }
  std::vector<Importance> result;
  for (std::size_t j = 0; j < shares.size(); ++j) {
    result.push_back({.variable = space().variables()[j].name, .share = shares[j], .deviation = std::sqrt(squares[j])});
  }
  return result;
}

std::optional<Trial> Study::best() const {
  const auto lock = parts_->lock();
  std::optional<Trial> best = parts_->store.best(spec().direction);
  if (!best || !spec().noisy) return best;
  const History history = parts_->store.snapshot(spec()).history;
  const std::shared_ptr<const Learned> learned = parts_->suggester.learned(history);
  std::optional<Trial> expected = learned ? best_expected(parts_->store, learned->process, history) : std::nullopt;
  return expected ? expected : best;
}

std::optional<Outlook> Study::outlook() const {
  const auto lock = parts_->lock();
  History history = parts_->store.snapshot(spec()).history;
  const std::shared_ptr<const Learned> learned = parts_->suggester.learned(history);
  const std::optional<Trial> best = parts_->store.best(spec().direction);
  if (!best) return {};
  // Without noise a result is what it is, even if the model takes a part of it for noise.
  Outlook outlook{.best = *best, .mean = *best->value};
  const std::size_t initial = parts_->suggester.initial();
  if (!learned) {
    const auto [low, high] = std::minmax_element(history.values.begin(), history.values.end());
    if (*low != *high || history.values.size() < 2 * initial) return {};
    return outlook;  // so many equal ones: nothing is to be gained
  }
  const double sign = spec().direction == Direction::maximize ? 1.0 : -1.0;
  if (spec().noisy) {
    const Process& process = learned->process;
    if (std::optional<Trial> expected = best_expected(parts_->store, process, history)) outlook.best = *expected;
    const Process::Value value = process.at(space().to_inputs(outlook.best.point));
    outlook.mean = sign * learned->warp.invert(value.mean);
    outlook.sigma = value.sigma * learned->warp.unit_at(value.mean);
  }
  const auto worse = [&](std::vector<double> values) {
    for (double& value : values) value *= -sign;
    return values;
  };
  const double spread = spread_of(worse(history.values), initial, worse(parts_->store.earlier().values));
  // The gain is what the pending trials and the next one may bring, so none of them counts as known.
  history.pending.clear();
  outlook.gain = parts_->suggester.expected_gain(history);
  // A model of a part of the initial design knows too little of the rest.
  outlook.worth_it = history.trials < static_cast<std::int64_t>(initial) || outlook.gain > 1e-3 * spread;
  return outlook;
}

std::vector<Trial> Study::ask_by(const CustomAcquisition& acquisition, std::size_t count, std::string_view worker) {
  const auto lock = parts_->lock();
  const StudyStore::Askers asker{.count = 1, .workers = {std::string(worker)}, .lease = spec().lease};
  std::vector<Trial> trials;
  while (trials.size() < count && !finished()) {
    const StudyStore::Snapshot snapshot = parts_->store.snapshot(spec());
    if (const std::int64_t most = budget(); most > 0 && snapshot.history.trials >= most) break;
    const auto taken = [&](const Point& point) { return parts_->store.taken(point); };
    const std::optional<Point> point = parts_->suggester.next_by(snapshot.history, acquisition, taken);
    if (!point) break;
    std::vector<Trial> recorded = parts_->store.record(
        snapshot, {{.point = *point, .origin = std::string(Origin::custom)}}, asker, {.budget = spec().budget});
    std::move(recorded.begin(), recorded.end(), std::back_inserter(trials));
  }
  return trials;
}

}  // namespace nomu
