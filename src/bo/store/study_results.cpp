// What a study does with results.

#include <fmt/format.h>

#include "bo/store/study_store.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

std::string labelled(const TrialResult& result, const std::string& message) {
  return result.label.empty() ? message : fmt::format("{}: {}", result.label, message);
}

}  // namespace

std::int64_t StudyStore::add(const TrialResult& result) const {
  const std::int64_t id = trial_count() + 1;
  const double at = database_->now();
  insert({.id = id, .point = result.point, .value = result.value, .origin = "given", .asked = at, .told = at});
  log({.kind = "add", .trial = id, .point = result.point, .value = result.value}, at);
  return id;
}

std::int64_t StudyStore::finish_one(const TrialResult& result, Repeated repeated) const {
  if (result.id == 0 && !result.point.empty()) return add(result);
  const std::optional<Trial> trial = find(result.id);
  if (!trial) {
    throw DataError("bo/study",
                    labelled(result, fmt::format("there is no trial {}; there are {}", result.id, trial_count())));
  }
  const bool replaces = trial->state != TrialState::pending;
  const bool equal = trial->value == result.value && (result.value || trial->reason == result.reason);
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
  log({.kind = result.value ? "tell" : "fail",
       .trial = result.id,
       .value = result.value,
       .text = result.reason,
       .replaces = replaces},
      at);
  return result.id;
}

std::vector<std::int64_t> StudyStore::finish(const std::vector<TrialResult>& results, Repeated repeated) const {
  std::vector<std::int64_t> ids;
  database_->write([&] {
    ids.clear();
    for (const TrialResult& result : results) ids.push_back(finish_one(result, repeated));
  });
  return ids;
}

}  // namespace nomu
