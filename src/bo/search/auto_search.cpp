#include "bo/search/auto_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "nomu/bo/acquisition.hpp"
#include "nomu/core/random.hpp"

namespace nomu {
namespace {

constexpr std::uint64_t seek_purpose = 0x62736B31;
constexpr std::uint64_t fantasy_purpose = 0x6266616E;
constexpr std::size_t most_rows = 250;  // the cost of a proposal is cubic in them
constexpr std::size_t near_rows = 5;
constexpr std::size_t pool_after = 24;      // pending points after which the next ones are chosen from a pool
constexpr double pending_apart = 0.01;      // least distance of two pending points, as a share of the space's diagonal
constexpr double least_local_share = 50.0;  // times less may be expected around the best result than elsewhere
constexpr double finished_apart = 1e-6;     // least distance of pending points from those with a result

template <class T>
std::vector<T> chosen(const std::vector<T>& all, const std::vector<std::size_t>& rows) {
  std::vector<T> result;
  result.reserve(rows.size());
  for (const std::size_t k : rows) result.push_back(all[k]);
  return result;
}

/// The side of the cube around the best result in which most points are sought. It grows while that finds better
/// results, shrinks when it does not, and starts over when it has become too small to matter. `values` in their order,
/// larger is better.
double trusted_side(const std::vector<double>& values, std::size_t first, std::size_t variables, double largest) {
  constexpr double smallest = 0.01;
  const std::size_t patience = std::max<std::size_t>(4, variables / 2);
  double side = largest;
  double low = values.front();
  double high = values.front();
  std::size_t gains = 0;
  std::size_t losses = 0;
  for (std::size_t k = 1; k < values.size(); ++k) {
    const bool gain = values[k] > high + 1e-3 * (high - low);
    low = std::min(low, values[k]);
    high = std::max(high, values[k]);
    if (k < first) continue;
    gains = gain ? gains + 1 : 0;
    losses = gain ? 0 : losses + 1;
    if (gains == 3) side = std::min(largest, 2.0 * side);
    if (losses == patience) side *= 0.5;
    if (gains == 3 || losses == patience) gains = losses = 0;
    if (side < smallest) side = largest;
  }
  return side;
}

/// Where the best points lie at the border of what fails, the square of the probability still lets most trials fail.
/// The share of successes below which no point is sought, once most trials have failed: what they failed at. The weight
/// of success alone goes on trying what lies beyond the border of all that succeeds, where the best points are at it,
/// because nothing is left to gain on this side.
double least_success(const History& history) {
  const auto failed = static_cast<double>(history.failed.size());
  const auto succeeded = static_cast<double>(history.finished);
  return failed < succeeded ? 0.0 : failed / (failed + succeeded);
}

}  // namespace

std::uint64_t AutoSearch::seed_of(std::uint64_t purpose, std::int64_t number) const {
  return derived_seed(derived_seed(static_cast<std::uint64_t>(spec_.seed), purpose),
                      static_cast<std::uint64_t>(number));
}

/// Null if there are none.
const EarlierRows* AutoSearch::earlier_rows() {
  if (earlier_.points.empty()) return nullptr;
  if (!earlier_rows_) {
    const double sign = spec_.direction == Direction::maximize ? 1.0 : -1.0;
    earlier_rows_ = {.points = earlier_.points, .values = {}, .learned = {}};
    for (const double value : earlier_.values) earlier_rows_->values.push_back(sign * value);
    earlier_rows_->learned = learn(space_, earlier_rows_->points, earlier_rows_->values, learn_spec());
  }
  return &*earlier_rows_;
}

void AutoSearch::learn_from(const History& history) {
  state_ = {};
  state_.finished = history.finished;
  state_.points = history.points;
  state_.values = history.values;
  state_.failed = history.failed;
  state_.costs = history.costs;
  if (history.values.size() < 2 && !(design_.wary && !history.failed.empty())) return;
  const double sign = spec_.direction == Direction::maximize ? 1.0 : -1.0;
  std::vector<double> values;
  for (const double value : history.values) values.push_back(sign * value);
  if (!values.empty()) state_.side = trusted_side(values, initial_, space_.size(), design_.side);
  const std::vector<std::size_t> rows = fit_subset(values, Direction::maximize, most_rows);
  const std::vector<Point> points = chosen(history.points, rows);
  values = chosen(values, rows);
  state_.learned = learn(space_, points, values, learn_spec(), earlier_rows());
  if (!state_.learned && !design_.wary) return;
  if (auto success = learn_success(space_, points, history.failed)) {
    state_.success.emplace(std::move(success), design_.success);
    if (design_.wary) state_.least_success = least_success(history);
  }
  if (!state_.learned) {
    state_.near.assign(points.end() - static_cast<std::ptrdiff_t>(std::min(points.size(), near_rows)), points.end());
    return;
  }
  if (design_.heeds_costs) state_.cost = learn_cost(space_, history.points, history.costs);
  state_.process = state_.learned->process;
  state_.best = state_.process->best_mean();
  std::vector<double> merits = values;
  if (spec_.noisy) {
    // Of noisy results, the best by the model.
    const RowMatrix& all = state_.process->rows().x;
    const std::vector<Process::Value> found =
        state_.process->at_all(all.topRows(static_cast<Eigen::Index>(values.size())));
    std::transform(found.begin(), found.end(), merits.begin(), [](const Process::Value& v) { return v.mean; });
  }
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return merits[a] > merits[b]; });
  order.resize(std::min(order.size(), near_rows));
  state_.near = chosen(points, order);
  state_.known = points;
  if (const EarlierRows* earlier = earlier_rows()) {
    const auto best = std::max_element(earlier->values.begin(), earlier->values.end()) - earlier->values.begin();
    state_.near.push_back(earlier->points[static_cast<std::size_t>(best)]);
  }
}

void AutoSearch::believe(const std::vector<Point>& pending) {
  const bool goes_on = state_.pending.size() <= pending.size() &&
                       std::equal(state_.pending.begin(), state_.pending.end(), pending.begin());
  if (!goes_on) {
    state_.process = state_.learned->process;
    state_.best = state_.process->best_mean();
    state_.pending.clear();
    state_.pool.reset();
  }
  for (std::size_t k = state_.pending.size(); k < pending.size(); ++k) {
    state_.process->believe(space_.to_inputs(pending[k]));
    state_.pending.push_back(pending[k]);
    // The same improvement is not sought twice: fantasies see to that, while there are any.
    if (design_.draws_pending && state_.pending.size() < pool_after) continue;
    const std::size_t first = design_.draws_pending && state_.pending.size() == pool_after ? 0 : k;
    for (std::size_t i = first; i <= k; ++i)
      state_.best = std::max(state_.best, state_.process->mean_at(space_.to_inputs(pending[i])));
  }
}

bool AutoSearch::prepare(const History& history) {
  const bool same = state_.finished == history.finished && state_.points == history.points &&
                    state_.values == history.values && state_.failed == history.failed && state_.costs == history.costs;
  if (!same) learn_from(history);
  if (!state_.learned) return false;
  believe(history.pending);
  return true;
}

double AutoSearch::pending_distance() const {
  return pending_apart * 2.0 * std::sqrt(static_cast<double>(space_.inputs()));
}

bool AutoSearch::barred(std::span<const double> inputs) const {
  return state_.least_success > 0.0 && state_.success->estimate_at(inputs) < state_.least_success;
}

bool AutoSearch::allowed(std::span<const double> inputs, double apart) const {
  const Process& process = *state_.process;
  for (std::size_t k = 0; k < process.believed(); ++k) {
    if (nearest_distance(inputs, process.believed_point(k)) < apart) return false;
  }
  if (spec_.noisy) return true;
  const RowMatrix& rows = process.rows().x;
  const double least = finished_apart * 2.0 * std::sqrt(static_cast<double>(inputs.size()));
  return nearest_distance(inputs, {rows.data(), state_.known.size() * inputs.size()}) >= least;  // the study's own
}

/// By the improvement over what may come of the points that are on their way.
Promise AutoSearch::promise_now() {
  Promise promise(*state_.process, success(), state_.cost.get(), state_.best);
  const bool drawn = !state_.pending.empty() && state_.pending.size() < pool_after;
  if (!design_.draws_pending || !drawn) return promise;
  state_.fantasies.emplace(*state_.process, state_.best, seed_of(fantasy_purpose, state_.finished));
  promise.expect(*state_.fantasies);
  return promise;
}

double AutoSearch::log_weight(std::span<const double> inputs) const {
  return (state_.success ? state_.success->log_at(inputs) : 0.0) - (state_.cost ? state_.cost->log_at(inputs) : 0.0);
}

std::optional<Point> AutoSearch::next(const History& history, const std::function<bool(const Point&)>& taken) {
  if (!prepare(history)) return amid_failures(history, taken);
  if (state_.pending.size() >= pool_after) return from_pool(taken);
  const auto search = [&] { return gains_knowledge() ? most_telling(history, taken) : most_promising(history, taken); };
  std::optional<Point> found = search();
  if (found || state_.least_success == 0.0) return found;
  const double least = std::exchange(state_.least_success, 0.0);  // nothing is as likely to succeed
  found = search();
  state_.least_success = least;
  return found;
}

std::optional<Point> AutoSearch::most_promising(const History& history,
                                                const std::function<bool(const Point&)>& taken) {
  const Promise promise = promise_now();
  const Allowed may = [&](const Point& point, std::span<const double> inputs) {
    return allowed(inputs) && (spec_.noisy || !taken(point));
  };
  const std::uint64_t seed = seed_of(seek_purpose, history.trials);
  std::optional<Sought> found = seek(promise, space_, state_.near, Region::all(space_.size()), may, seed);
  if (!looks_everywhere(history)) {
    // Where nothing is left to gain around the best result, it is not sought there.
    const Region region = Region::around(space_.to_unit(state_.near.front()), state_.side);
    std::optional<Sought> local = seek(promise, space_, state_.near, region, may, seed);
    if (local && (!found || local->promise > found->promise - std::log(least_local_share))) found = std::move(local);
  }
  if (!found) return {};
  return std::move(found->point);
}

double AutoSearch::shortfall(const History& history, const Point& point) {
  const std::optional<Point> proposed = next(history, [](const Point&) { return false; });
  if (!proposed) return std::numeric_limits<double>::infinity();
  const std::vector<double> there = space_.to_inputs(*proposed);
  const std::vector<double> here = space_.to_inputs(point);
  if (!state_.learned) return promise_amid_failures(history, there) - promise_amid_failures(history, here);
  if (!gains_knowledge() || state_.pending.size() >= pool_after) {
    const Promise promise = promise_now();
    return promise.at(there) - promise.at(here);
  }
  const KnowledgeGain gain(*state_.process);
  return gain.log_at(there) + log_weight(there) - gain.log_at(here) - log_weight(here);
}

double AutoSearch::expected_gain(const History& history) {
  if (!prepare(history)) return 0.0;
  const Promise promise(*state_.process, success(), nullptr, state_.best);
  const Allowed may = [&](const Point& /*point*/, std::span<const double> inputs) {
    return allowed(inputs, pending_distance());  // what may be gained where failure is likely counts
  };
  const std::optional<Sought> found =
      seek(promise, space_, state_.near, Region::all(space_.size()), may, seed_of(seek_purpose, history.trials));
  const double gain = found ? std::exp(found->promise) * state_.learned->warp.unit_at(state_.best) : 0.0;
  return std::min(gain, std::numeric_limits<double>::max());
}

std::shared_ptr<const Learned> AutoSearch::learned(const History& history) {
  return prepare(history) ? state_.learned : nullptr;
}

}  // namespace nomu
