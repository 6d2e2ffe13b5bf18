// The search of method auto where there is nothing to improve on yet: less than two results, or equal ones, and
// failures.

#include <cmath>
#include <limits>

#include "bo/search/auto_search.hpp"
#include "nomu/bo/acquisition.hpp"

namespace nomu {
namespace {

constexpr std::uint64_t amid_purpose = 0x62616D69;
constexpr SeekSpec amid_spec{.points_everywhere = 1000, .around = 100};

}  // namespace

/// The logarithm of the probability of success there times the distance to all that was tried: new ground, but not
/// where everything fails.
double AutoSearch::promise_amid_failures(const History& history, std::span<const double> inputs) const {
  double apart = std::numeric_limits<double>::infinity();
  for (const std::vector<Point>* some : {&history.points, &history.failed, &history.pending}) {
    for (const Point& point : *some) apart = std::min(apart, nearest_distance(inputs, space_.to_inputs(point)));
  }
  return std::log(apart) + state_.success->log_at(inputs);
}

/// Empty where failures teach nothing either.
std::optional<Point> AutoSearch::amid_failures(const History& history,
                                               const std::function<bool(const Point&)>& taken) const {
  if (!state_.success) return {};
  std::optional<Point> found;
  double most = -std::numeric_limits<double>::infinity();
  const std::uint64_t seed = seed_of(amid_purpose, history.trials);
  for (Point& point : candidates(space_, state_.near, Region::all(space_.size()), seed, amid_spec)) {
    const double promise = promise_amid_failures(history, space_.to_inputs(point));
    if (!(promise > most) || taken(point)) continue;
    most = promise;
    found = std::move(point);
  }
  return found;
}

}  // namespace nomu
