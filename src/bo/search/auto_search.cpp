#include "bo/search/auto_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "bo/surrogate/seek.hpp"
#include "nomu/bo/acquisition.hpp"
#include "nomu/core/random.hpp"

namespace nomu {
namespace {

constexpr std::uint64_t seek_purpose = 0x62736B31;
constexpr std::size_t most_rows = 250;  // the cost of a proposal is cubic in them
constexpr std::size_t near_rows = 5;
constexpr double same_point = 1e-9;        // inputs that are closer than this are the same
constexpr double pending_apart = 0.01;     // share of the diagonal of the space between two points on their way
constexpr double finished_apart = 1e-6;    // and between them and points with a result

template <class T>
std::vector<T> chosen(const std::vector<T>& all, const std::vector<std::size_t>& rows) {
  std::vector<T> result;
  for (const std::size_t k : rows) result.push_back(all[k]);
  return result;
}

}  // namespace

void AutoSearch::learn_from(const History& history) {
  state_ = {};
  state_.finished = history.finished;
  state_.points = history.points;
  state_.values = history.values;
  state_.failed = history.failed;
  const double sign = spec_.direction == Direction::maximize ? 1.0 : -1.0;
  std::vector<double> values;
  for (const double value : history.values) values.push_back(sign * value);
  const std::vector<std::size_t> rows = fit_subset(values, Direction::maximize, most_rows);
  const std::vector<Point> points = chosen(history.points, rows);
  values = chosen(values, rows);
  state_.learned = learn(space_, points, values, spec_.noisy);
  if (!state_.learned) return;
  state_.success = learn_success(space_, points, history.failed);
  state_.process = state_.learned->process;
  state_.best = state_.process->best_mean();
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
  order.resize(std::min(order.size(), near_rows));
  state_.near = chosen(points, order);
}

void AutoSearch::believe(const std::vector<Point>& pending) {
  const bool goes_on = state_.pending.size() <= pending.size() &&
                       std::equal(state_.pending.begin(), state_.pending.end(), pending.begin());
  if (!goes_on) {
    state_.process = state_.learned->process;
    state_.best = state_.process->best_mean();
    state_.pending.clear();
  }
  for (std::size_t k = state_.pending.size(); k < pending.size(); ++k) {
    const std::vector<double> inputs = space_.to_inputs(pending[k]);
    // The same improvement is not sought twice.
    state_.best = std::max(state_.best, state_.process->at(inputs).mean);
    state_.process->believe(inputs);
    state_.pending.push_back(pending[k]);
  }
}

bool AutoSearch::prepare(const History& history) {
  const bool same = state_.finished == history.finished && state_.points == history.points &&
                    state_.values == history.values && state_.failed == history.failed;
  if (!same) learn_from(history);
  if (!state_.learned) return false;
  believe(history.pending);
  return true;
}

bool AutoSearch::allowed(const Point& /*point*/, std::span<const double> inputs) const {
  const double diagonal = 2.0 * std::sqrt(static_cast<double>(inputs.size()));
  const Process& process = *state_.process;
  for (std::size_t k = 0; k < process.believed(); ++k) {
    if (nearest_distance(inputs, process.believed_point(k)) < pending_apart * diagonal) return false;
  }
  if (spec_.noisy) return true;
  const RowMatrix& rows = process.rows().x;
  const double least = std::max(same_point, finished_apart * diagonal);
  return nearest_distance(inputs, {rows.data(), static_cast<std::size_t>(rows.size())}) >= least;
}

std::optional<Point> AutoSearch::next(const History& history, const std::function<bool(const Point&)>& taken) {
  if (!prepare(history)) return {};
  const Promise promise(*state_.process, state_.success.get(), state_.best);
  const std::uint64_t seed = derived_seed(derived_seed(static_cast<std::uint64_t>(spec_.seed), seek_purpose),
                                          static_cast<std::uint64_t>(history.trials));
  const Allowed may = [&](const Point& point, std::span<const double> inputs) {
    return allowed(point, inputs) && (spec_.noisy || !taken(point));
  };
  std::optional<Sought> found = seek(promise, space_, state_.near, may, seed);
  if (!found) return {};
  return std::move(found->point);
}

double AutoSearch::shortfall(const History& history, const Point& point) {
  const std::optional<Point> proposed = next(history, [](const Point&) { return false; });
  if (!proposed) return std::numeric_limits<double>::infinity();
  const Promise promise(*state_.process, state_.success.get(), state_.best);
  return promise.at(space_.to_inputs(*proposed)) - promise.at(space_.to_inputs(point));
}

}  // namespace nomu
