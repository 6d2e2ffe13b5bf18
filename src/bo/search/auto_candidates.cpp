// Points of method auto that are chosen among candidates, and not sought by slopes: those of large batches, those that
// decide most, and those of a custom acquisition.

#include <algorithm>
#include <cmath>

#include "bo/search/auto_search.hpp"
#include "nomu/bo/acquisition.hpp"

namespace nomu {
namespace {

constexpr std::uint64_t pool_purpose = 0x62706F6F;
constexpr int most_halvings = 12;  // of this distance, where there is no room
constexpr SeekSpec pool_spec{.points_everywhere = 1500, .around = 200};

}  // namespace

std::optional<Point> AutoSearch::from_pool(const std::function<bool(const Point&)>& taken) {
  if (!state_.pool) {
    state_.pool_points =
        candidates(space_, state_.near, Region::all(space_.size()), seed_of(pool_purpose, state_.finished), pool_spec);
    RowMatrix inputs = process_rows(space_, state_.pool_points).x;
    std::vector<double> worth;
    if (state_.success || state_.cost) {
      for (const Point& point : state_.pool_points) worth.push_back(log_weight(space_.to_inputs(point)));
    }
    state_.pool.emplace(*state_.process, std::move(inputs), std::move(worth));
  }
  state_.pool->follow(*state_.process);
  double apart = pending_distance();
  for (int halvings = 0; halvings <= (design_.makes_room ? most_halvings : 0); ++halvings) {
    while (const std::optional<std::size_t> k = state_.pool->best(state_.best, apart)) {
      const Point& point = state_.pool_points[*k];
      if (allowed(space_.to_inputs(point), apart) && (spec_.noisy || !taken(point))) return point;
      state_.pool->leave_out(*k);
    }
    apart *= 0.5;
  }
  return {};
}

std::optional<Point> AutoSearch::next_by(const History& history, const CustomAcquisition& acquisition,
                                         const std::function<bool(const Point&)>& taken) {
  if (!prepare(history)) return {};
  const double sign = spec_.direction == Direction::maximize ? 1.0 : -1.0;
  const double best = *std::max_element(history.values.begin(), history.values.end(),
                                        [&](double a, double b) { return sign * a < sign * b; });
  const TargetWarp& warp = state_.learned->warp;
  return best_by(
      [&](const Point& point) {
        const Process::Value value = state_.process->at(space_.to_inputs(point));
        return acquisition(sign * warp.invert(value.mean), value.sigma * warp.unit_at(value.mean), best);
      },
      {}, pool_spec, history.trials, taken);
}

std::optional<Point> AutoSearch::best_by(const Valued& value, const std::vector<Point>& also, const SeekSpec& spec,
                                         std::int64_t number, const std::function<bool(const Point&)>& taken) const {
  std::optional<Point> found;
  double most = 0.0;
  std::vector<Point> near = state_.near;
  // First everywhere, then twice around the best point so far.
  for (std::int64_t round = 0; round < 3; ++round) {
    const SeekSpec now{.points_everywhere = round == 0 ? spec.points_everywhere : 0, .around = spec.around};
    std::vector<Point> points =
        candidates(space_, near, Region::all(space_.size()), seed_of(pool_purpose, 3 * number + round), now);
    if (round == 0) points.insert(points.end(), also.begin(), also.end());
    for (const Point& point : points) {
      const double here = value(point);
      if (!std::isfinite(here) || (found && !(here > most))) continue;
      if (!allowed(space_.to_inputs(point)) || (!spec_.noisy && taken(point))) continue;
      most = here;
      found = point;
    }
    if (!found) break;
    near = {*found};
  }
  return found;
}

/// Points that are known are candidates as well: to repeat one is worth it where that decides which is the best.
std::optional<Point> AutoSearch::most_telling(const History& history,
                                              const std::function<bool(const Point&)>& taken) const {
  constexpr SeekSpec spec{.points_everywhere = 320, .around = 64};
  const KnowledgeGain gain(*state_.process);
  return best_by(
      [&](const Point& point) {
        const std::vector<double> inputs = space_.to_inputs(point);
        return gain.log_at(inputs) + log_weight(inputs);
      },
      state_.known, spec, history.trials, taken);
}

}  // namespace nomu
