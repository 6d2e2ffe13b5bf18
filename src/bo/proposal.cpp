#include "nomu/bo/proposal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "bo/landscape.hpp"
#include "bo/local_search.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The best of some points of each run; `units` [q][variables] one run after the other.
void keep_best(const Space& space, std::span<const double> units, std::span<const std::size_t> counts,
               std::span<const double> values, std::span<const double> c, std::vector<Proposal>& best) {
  std::size_t i = 0;
  for (std::size_t m = 0; m < counts.size(); ++m) {
    for (std::size_t k = 0; k < counts[m]; ++k, ++i) {
      if (!(values[i] > best[m].value)) continue;
      best[m].value = values[i];
      best[m].c = c[m];
      best[m].point = space.from_unit(units.subspan(i * space.size(), space.size()));
    }
  }
}

/// All points of a finite space, in one batch.
void search_all(const Landscape& landscape, std::uint64_t count, std::span<const double> c,
                std::span<const bool> active, std::vector<Proposal>& best) {
  const Space& space = landscape.space();
  std::vector<double> units;
  std::vector<std::size_t> counts(best.size(), 0);
  for (std::size_t m = 0; m < best.size(); ++m) {
    if (!active[m]) continue;
    for (std::uint64_t index = 0; index < count; ++index) {
      const std::vector<double> unit = space.to_unit(space.at(index));
      units.insert(units.end(), unit.begin(), unit.end());
      ++counts[m];
    }
  }
  keep_best(space, units, counts, landscape.values(units, counts, c), c, best);
}

void search(const Landscape& landscape, const ProposalSpec& spec, std::span<const double> c,
            std::span<const bool> active, std::vector<Proposal>& best) {
  const Space& space = landscape.space();
  const std::optional<std::uint64_t> count = space.count();
  if (count && *count <= static_cast<std::uint64_t>(spec.enumerate)) {
    return search_all(landscape, *count, c, active, best);
  }
  std::vector<Direct> searches;
  std::vector<std::size_t> owner;
  for (std::size_t m = 0; m < best.size(); ++m) {
    if (!active[m]) continue;
    searches.emplace_back(space.size(), spec.direct);
    owner.push_back(m);
  }
  TopPoints top(best.size(), static_cast<std::size_t>(spec.local_starts), space.size());
  std::vector<std::size_t> counts(best.size());
  run_together(searches, [&](const DirectBatch& batch) {
    std::fill(counts.begin(), counts.end(), std::size_t{0});
    for (std::size_t s = 0; s < owner.size(); ++s) counts[owner[s]] = batch.counts[s];
    std::vector<double> values = landscape.values(batch.points, counts, c);
    keep_best(space, batch.points, counts, values, c, best);
    top.add(batch.points, counts, values);
    return values;
  });
  if (spec.local_starts > 0) refine(landscape, top, spec.local_steps, c, best);
}

}  // namespace

std::vector<Proposal> propose(const FittedCohort& models, const Space& space, std::span<const RunKnowledge> runs,
                              const ProposalSpec& spec, const Progress& progress) {
  if (runs.size() != models.members()) {
    throw DataError("bo/proposal", fmt::format("{} runs for {} fitted models", runs.size(), models.members()));
  }
  const Landscape landscape(models, space, runs, spec.kind, progress.stop);
  std::vector<double> c;
  for (const RunKnowledge& run : runs) c.push_back(run.c);
  std::vector<Proposal> result(runs.size());
  const auto active = std::make_unique<bool[]>(runs.size());
  std::fill_n(active.get(), runs.size(), true);
  const std::span<const bool> searching(active.get(), runs.size());
  for (std::int64_t doublings = 0;; ++doublings) {
    std::vector<Proposal> found(runs.size());
    search(landscape, spec, c, searching, found);
    bool again = false;
    for (std::size_t m = 0; m < runs.size(); ++m) {
      if (!active[m]) continue;
      result[m] = std::move(found[m]);
      result[m].doublings = doublings;
      active[m] = doublings < spec.dynamic.doublings && landscape.bored(m, result[m].point, spec.dynamic);
      if (active[m]) c[m] *= 2.0;
      again = again || active[m];
    }
    if (!again) return result;
  }
}

}  // namespace nomu
