#include "nomu/bo/earlier.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "bo/space/history.hpp"
#include "nomu/bo/study.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr std::size_t most_earlier = 60;

/// For each variable of `space`, its place in the earlier one.
std::vector<std::size_t> places_in(const Space& earlier, const Space& space, const std::string& name) {
  std::vector<std::size_t> places;
  for (const Variable& v : space.variables()) {
    const auto& all = earlier.variables();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Variable& other) { return other.name == v.name; });
    const bool categorical = v.kind == Variable::Kind::categorical;
    if (found == all.end() || (found->kind == Variable::Kind::categorical) != categorical) {
      throw ConfigError("bo/study",
                        fmt::format("the earlier study '{}' has no {}variable '{}', which the new space has", name,
                                    categorical ? "categorical " : "", v.name));
    }
    places.push_back(static_cast<std::size_t>(found - all.begin()));
  }
  return places;
}

/// Empty if the point is not one of the new space.
Point moved(const Space& earlier, const Point& from, const Space& space, const std::vector<std::size_t>& places) {
  std::vector<std::optional<double>> values(space.size());
  const std::vector<bool> active = earlier.active(from);
  try {
    for (std::size_t j = 0; j < space.size(); ++j) {
      if (!active[places[j]]) continue;
      values[j] = space.parse(j, earlier.text(places[j], from[places[j]]));
    }
    return space.complete(values);
  } catch (const DataError&) {
    return {};
  }
}

}  // namespace

EarlierResults earlier_results(const Study& study, const Space& space, Direction direction) {
  if (study.spec().direction != direction) {
    throw ConfigError("bo/study", fmt::format("the earlier study '{}' is {}, the new one is not", study.name(),
                                              direction == Direction::minimize ? "maximised" : "minimised"));
  }
  const std::vector<std::size_t> places = places_in(study.space(), space, study.name());
  EarlierResults all;
  std::size_t known = 0;
  for (const Trial& trial : study.trials()) {
    if (!trial.value) continue;
    ++known;
    Point point = moved(study.space(), trial.point, space, places);
    if (point.empty()) continue;
    all.points.push_back(std::move(point));
    all.values.push_back(*trial.value);
  }
  if (all.points.empty()) {
    throw DataError("bo/study", fmt::format("none of the {} results of the earlier study '{}' is a point of the new "
                                            "space; widen the space, or begin without that study",
                                            known, study.name()));
  }
  EarlierResults some;
  for (const std::size_t k : fit_subset(all.values, direction, most_earlier)) {
    some.points.push_back(all.points[k]);
    some.values.push_back(all.values[k]);
  }
  return some;
}

}  // namespace nomu
