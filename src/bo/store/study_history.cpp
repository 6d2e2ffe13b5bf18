// What a study knows about its past when it suggests the next point.

#include <fmt/format.h>

#include <algorithm>

#include "bo/store/study_rows.hpp"
#include "bo/store/study_store.hpp"
#include "bo/store/study_text.hpp"

namespace nomu {
namespace {

constexpr std::size_t places_at_once = 500;  // engines limit the parameters of one statement

struct Ranked {
  std::vector<std::int64_t> places = {};
  std::vector<double> values = {};
};

/// All results in their order.
Ranked results_of(Database& database) {
  Ranked all;
  Statement rows =
      database.prepare("SELECT place, value, id FROM {trials} WHERE {mine} AND place IS NOT NULL ORDER BY place");
  while (rows.step()) {
    const bool repeated = !all.places.empty() && rows.integer(0) == all.places.back();
    if (rows.null(1) || repeated) refuse_place(rows.integer(2));
    all.places.push_back(rows.integer(0));
    all.values.push_back(rows.real(1));
    check_value(all.values.back(), {"result", all.places.back()});
  }
  return all;
}

/// Appends the rows to fit, in the order of their results.
void read_rows(Database& database, const Space& space, const std::vector<std::int64_t>& places, History& history) {
  const std::map<std::int64_t, double> costs = read_costs(database);
  for (std::size_t from = 0; from < places.size(); from += places_at_once) {
    const std::size_t count = std::min(places_at_once, places.size() - from);
    std::string marks = "?";
    for (std::size_t k = 1; k < count; ++k) marks += ", ?";
    Statement rows = database.prepare(fmt::format(
        "SELECT place, value, point, id FROM {{trials}} WHERE {{mine}} AND place IN ({}) ORDER BY place", marks));
    for (std::size_t k = 0; k < count; ++k) rows.bind(static_cast<int>(k) + 1, places[from + k]);
    while (rows.step()) {
      history.points.push_back(read_point(rows.text(2), space, {"result", rows.integer(0)}));
      history.values.push_back(rows.real(1));
      if (costs.empty()) continue;
      const auto cost = costs.find(rows.integer(3));
      history.costs.push_back(cost == costs.end() ? 0.0 : cost->second);
    }
  }
}

void read_latest(Database& database, const Space& space, TrialState state, std::int64_t most,
                 std::vector<Point>& points) {
  Statement rows = database.prepare(
      fmt::format("SELECT point, id FROM {{trials}} WHERE {{mine}} AND state = {} ORDER BY id DESC LIMIT ?",
                  static_cast<int>(state)));
  rows.bind(1, most);
  while (rows.step()) points.push_back(read_point(rows.text(0), space, {"trial", rows.integer(1)}));
  std::reverse(points.begin(), points.end());
}

}  // namespace

StudyStore::Snapshot StudyStore::snapshot(const OptimizeSpec& spec) const {
  Snapshot result;
  const auto read = [&] {
    result = {};
    History& history = result.history;
    result.basis = last_event();
    history.trials = trial_count();
    const Ranked all = results_of(*database_);
    history.finished = static_cast<std::int64_t>(all.values.size());
    std::vector<std::int64_t> places;
    for (const std::size_t k : fit_subset(all.values, spec.direction, static_cast<std::size_t>(spec.fit_rows)))
      places.push_back(all.places[k]);
    read_rows(*database_, space_, places, history);
    read_latest(*database_, space_, TrialState::failed, most_failed, history.failed);
    read_latest(*database_, space_, TrialState::pending, pending_of(spec), history.pending);
    Statement c = database_->prepare("SELECT value FROM {meta} WHERE {mine} AND key = 'c'");
    if (c.step()) history.c = number_from_text(c.text(0));
  };
  database_->read([&] { named(*database_, read); });
  return result;
}

}  // namespace nomu
