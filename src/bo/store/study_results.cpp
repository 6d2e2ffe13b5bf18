// What a study does with results.

#include <fmt/format.h>

#include <algorithm>

#include "bo/store/study_rows.hpp"
#include "bo/store/study_store.hpp"
#include "bo/store/study_text.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

std::string labelled(const TrialResult& result, const std::string& message) {
  return result.label.empty() ? message : fmt::format("{}: {}", result.label, message);
}

/// The last of a series of numbers that goes on from there. A damaged file may have the largest number there is.
std::int64_t countable(std::int64_t last, const std::string& name) {
  constexpr std::int64_t most = std::int64_t{1} << 62;
  if (last >= 0 && last < most) return last;
  throw DataError("bo/study",
                  fmt::format("'{}' is damaged: it counts up to {}; restore a copy of the file", name, last));
}

}  // namespace

/// Tables of results have 100,000 rows: the numbers are counted here instead of by every statement.
std::vector<std::int64_t> StudyStore::add(const std::vector<TrialResult>& results) const {
  std::int64_t id = trial_count();
  std::int64_t place =
      countable(number_of(database_->prepare("SELECT max(place) FROM {trials} WHERE {mine}")), database_->name());
  std::int64_t number = countable(last_event(), database_->name());
  const double at = database_->now();
  Statement trial = database_->prepare(
      "INSERT INTO {trials}({key}id, state, point, reason, origin, worker, lease, asked, told, value, place) "
      "VALUES({study}?, 1, ?, '', 'given', '', 0, ?, ?, ?, ?)");
  Statement event =
      database_->prepare("INSERT INTO {events}({key}number, kind, trial, body, at) VALUES({study}?, 'add', ?, ?, ?)");
  std::vector<std::int64_t> ids;
  for (const TrialResult& result : results) {
    ids.push_back(++id);
    trial.bind(1, id)
        .bind(2, point_to_text(result.point))
        .bind(3, at)
        .bind(4, at)
        .bind(5, *result.value)
        .bind(6, ++place)
        .run();
    event.bind(1, ++number)
        .bind(2, id)
        .bind(3, event_to_text(
                     {.kind = "add", .trial = id, .point = result.point, .value = result.value, .cost = result.cost}))
        .bind(4, at)
        .run();
    if (result.cost) set_cost(id, result.cost);
  }
  return ids;
}

/// Few studies have costs, so that they are kept beside the trials: {meta} has a key for each.
void StudyStore::set_cost(std::int64_t trial, const std::optional<double>& cost) const {
  const std::string key = cost_key(trial);
  database_->prepare("DELETE FROM {meta} WHERE {mine} AND key = ?").bind(1, key).run();
  if (!cost) return;
  database_->prepare("INSERT INTO {meta}({key}key, value) VALUES({study}?, ?)")
      .bind(1, key)
      .bind(2, number_to_text(*cost))
      .run();
}

std::int64_t StudyStore::finish_one(const TrialResult& result, Repeated repeated) const {
  if (result.id == 0 && !result.point.empty()) return add({result}).front();
  const std::optional<Trial> trial = find(result.id);
  if (!trial) {
    throw DataError("bo/study",
                    labelled(result, fmt::format("there is no trial {}; there are {}", result.id, trial_count())));
  }
  const bool replaces = trial->state != TrialState::pending;
  // A result that is told again, or corrected, cost what it cost before unless another cost is told.
  const std::optional<double> cost = result.cost || !result.value ? result.cost : trial->cost;
  const bool equal =
      trial->value == result.value && trial->cost == cost && (result.value || trial->reason == result.reason);
  if (replaces && equal && repeated == Repeated::accept_equal) return result.id;
  if (replaces && repeated != Repeated::replace) {
    throw DataError(
        "bo/study",
        labelled(result,
                 fmt::format("trial {} has {} already; --replace (replace = true in C++) overwrites it", result.id,
                             trial->value ? fmt::format("the value {}", *trial->value)
                                          : fmt::format("failed ({})", trial->reason))));
  }
  const double at = database_->now();
  if (result.value) {
    database_
        ->prepare(
            "UPDATE {trials} SET state = 1, value = ?, reason = '', told = ?, place = coalesce(place, (SELECT "
            "coalesce(max(place), 0) + 1 FROM {trials} WHERE {mine} AND place IS NOT NULL)) WHERE {mine} AND id = ?")
        .bind(1, *result.value)
        .bind(2, at)
        .bind(3, result.id)
        .run();
  } else {
    database_
        ->prepare(
            "UPDATE {trials} SET state = 2, value = NULL, place = NULL, reason = ?, told = ? WHERE {mine} AND id = ?")
        .bind(1, result.reason)
        .bind(2, at)
        .bind(3, result.id)
        .run();
  }
  if (replaces || cost) set_cost(result.id, cost);
  log({.kind = result.value ? "tell" : "fail",
       .trial = result.id,
       .value = result.value,
       .text = result.reason,
       .replaces = replaces,
       .cost = cost},
      at);
  return result.id;
}

std::vector<std::int64_t> StudyStore::finish(const std::vector<TrialResult>& results, Repeated repeated,
                                             const Notes& notes) const {
  std::vector<std::int64_t> ids;
  database_->write([&] {
    ids.clear();
    for (const auto& [name, text] : notes) {
      database_->prepare("INSERT INTO {meta}({key}key, value) VALUES({study}?, ?) ON CONFLICT DO NOTHING")
          .bind(1, name)
          .bind(2, text)
          .run();
    }
    const bool points = std::all_of(results.begin(), results.end(), [](const TrialResult& result) {
      return result.id == 0 && !result.point.empty() && result.value;
    });
    if (points) {
      ids = add(results);
      return;
    }
    for (const TrialResult& result : results) ids.push_back(finish_one(result, repeated));
  });
  return ids;
}

}  // namespace nomu
