#include "nomu/bo/proposal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "bo/search/landscape.hpp"
#include "bo/search/local_search.hpp"
#include "core/subnormals.hpp"
#include "core/team.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

/// Keeps the best point of each search; `units` is [q][variables], one search after the other.
void keep_best(const Space& space, std::span<const double> units, std::span<const std::size_t> counts,
               std::span<const double> values, std::span<const SearchTask> tasks, std::vector<Proposal>& best) {
  std::size_t i = 0;
  for (std::size_t s = 0; s < counts.size(); ++s) {
    for (std::size_t k = 0; k < counts[s]; ++k, ++i) {
      if (!(values[i] > best[s].value)) continue;
      best[s].value = values[i];
      best[s].c = tasks[s].c;
      best[s].point = space.from_unit(units.subspan(i * space.size(), space.size()));
    }
  }
}

/// Evaluates all points of a finite space in one batch.
void search_all(const Landscape& landscape, std::uint64_t count, std::span<const SearchTask> tasks,
                std::vector<Proposal>& best) {
  const Space& space = landscape.space();
  std::vector<double> units;
  const std::vector<std::size_t> counts(tasks.size(), count);
  for (std::size_t s = 0; s < tasks.size(); ++s) {
    for (std::uint64_t index = 0; index < count; ++index) {
      const std::vector<double> unit = space.to_unit(space.at(index));
      units.insert(units.end(), unit.begin(), unit.end());
    }
  }
  keep_best(space, units, counts, landscape.values(units, counts, tasks), tasks, best);
}

/// Evaluates random feasible points: if the feasible region is a thin slice, the midpoints of DIRECT's cells miss it.
void search_feasible(const Landscape& landscape, std::span<const SearchTask> tasks, TopPoints& top,
                     std::vector<Proposal>& best) {
  constexpr std::uint32_t draws = 500;
  const Space& space = landscape.space();
  std::vector<double> units;
  const std::vector<std::size_t> counts(tasks.size(), draws);
  for (const SearchTask& task : tasks) {
    for (std::uint32_t k = 0; k < draws; ++k) {
      const std::vector<double> unit = space.to_unit(random_point(space, landscape.seed_of(task.run), k));
      units.insert(units.end(), unit.begin(), unit.end());
    }
  }
  const std::vector<double> values = landscape.values(units, counts, tasks);
  keep_best(space, units, counts, values, tasks, best);
  top.add(units, counts, values);
}

/// The best point of each search.
std::vector<Proposal> search(const Landscape& landscape, const ProposalSpec& spec, std::span<const SearchTask> tasks) {
  const Space& space = landscape.space();
  std::vector<Proposal> best(tasks.size());
  const std::optional<std::uint64_t> count = space.count();
  if (count && *count <= static_cast<std::uint64_t>(spec.enumerate)) {
    search_all(landscape, *count, tasks, best);
    return best;
  }
  std::vector<Direct> searches(tasks.size(), Direct(space.size(), spec.direct));
  TopPoints top(tasks.size(), static_cast<std::size_t>(spec.local_starts), space.size());
  run_together(
      searches,
      [&](const DirectBatch& batch) {
        std::vector<double> values = landscape.values(batch.points, batch.counts, tasks);
        keep_best(space, batch.points, batch.counts, values, tasks, best);
        top.add(batch.points, batch.counts, values);
        return values;
      },
      landscape.each());
  if (!space.constraints().empty()) search_feasible(landscape, tasks, top, best);
  if (spec.local_starts > 0) refine(landscape, top, spec.local_steps, tasks, best);
  return best;
}

/// How many doublings of c to try next, after `tried` of them were too close: one, or with `look_ahead` more and more.
std::int64_t tries_after(std::int64_t tried, const ProposalSpec& spec) {
  const std::int64_t wanted = spec.look_ahead && tried > 0 ? 3 * tried : 1;
  return std::min(wanted, spec.dynamic.doublings + 1 - tried);
}

/// For each active run, `tries` searches, with c doubled `tried` times, `tried + 1` times, ...
std::vector<SearchTask> tasks_of(std::span<const RunKnowledge> runs, std::span<const std::size_t> active,
                                 std::int64_t tried, std::int64_t tries) {
  std::vector<SearchTask> tasks;
  for (const std::size_t m : active) {
    for (std::int64_t k = 0; k < tries; ++k) {
      tasks.push_back({.run = m, .c = std::ldexp(runs[m].c, static_cast<int>(tried + k))});
    }
  }
  return tasks;
}

/// Each run takes its first proposal that is not too close to a known point; returns the runs that have none yet.
std::vector<std::size_t> settle(const Landscape& landscape, const ProposalSpec& spec, std::span<const SearchTask> tasks,
                                std::int64_t tried, std::vector<Proposal> found, std::vector<Proposal>& result) {
  std::vector<std::size_t> unsettled;
  for (std::size_t s = 0; s < tasks.size();) {
    const std::size_t m = tasks[s].run;
    bool again = true;
    for (std::int64_t doublings = tried; s < tasks.size() && tasks[s].run == m; ++s, ++doublings) {
      if (!again) continue;
      result[m] = std::move(found[s]);
      result[m].doublings = doublings;
      again = doublings < spec.dynamic.doublings && landscape.too_close(m, result[m].point, spec.dynamic);
    }
    if (again) unsettled.push_back(m);
  }
  return unsettled;
}

}  // namespace

std::vector<Proposal> propose(const FittedCohort& models, const Space& space, std::span<const RunKnowledge> runs,
                              const ProposalSpec& spec, const Progress& progress) {
  if (runs.size() != models.members()) {
    throw DataError("bo/proposal", fmt::format("{} runs for {} fitted models", runs.size(), models.members()));
  }
  // The threads of the team flush subnormal numbers to zero; this one must do the same.
  const FlushSubnormals flush;
  Team team(std::clamp<std::size_t>(static_cast<std::size_t>(spec.threads), 1, runs.size()));
  const ForEach each = [&team](std::size_t count, const std::function<void(std::size_t)>& task) {
    team.run(count, [&task](std::size_t i, std::size_t /*worker*/) { task(i); });
  };
  const Landscape landscape(models, space, runs, spec.kind, each, progress.stop);
  std::vector<Proposal> result(runs.size());
  std::vector<std::size_t> active(runs.size());
  std::iota(active.begin(), active.end(), std::size_t{0});
  std::int64_t tried = 0;
  while (!active.empty()) {
    const std::int64_t tries = tries_after(tried, spec);
    const std::vector<SearchTask> tasks = tasks_of(runs, active, tried, tries);
    active = settle(landscape, spec, tasks, tried, search(landscape, spec, tasks), result);
    tried += tries;
  }
  return result;
}

}  // namespace nomu
