// Trials whose points are given, and not suggested: they wait until somebody asks.

#include <fmt/format.h>

#include "bo/store/study_rows.hpp"
#include "bo/store/study_store.hpp"
#include "bo/store/study_text.hpp"

namespace nomu {

/// Inside a transaction. A lease that ended in 1970 is nobody's.
Trial StudyStore::insert_queued(std::int64_t id, const Point& point) const {
  const double at = database_->now();
  Trial trial{.id = id, .point = point, .origin = std::string(Origin::given), .asked = at};
  insert(trial);
  log({.kind = "queue", .trial = id, .point = point}, at);
  return trial;
}

std::vector<std::int64_t> StudyStore::enqueue(const std::vector<Point>& points) const {
  std::vector<std::int64_t> ids;
  database_->write([&] {
    ids.clear();
    std::int64_t id = trial_count();
    for (const Point& point : points) ids.push_back(insert_queued(++id, point).id);
  });
  return ids;
}

StudyStore::Claim StudyStore::claim(const std::vector<Point>& points, const Askers& asker) const {
  Claim claim;
  database_->write([&] {
    claim = {};
    const double now = database_->now();
    for (const Point& point : points) {
      Statement row =
          database_->prepare(fmt::format("{} WHERE {{mine}} AND point = ? ORDER BY id LIMIT 1", trial_columns));
      const bool known = row.bind(1, point_to_text(point)).step();
      Trial trial =
          known ? named(*database_, [&] { return read_trial(row, space_); }) : insert_queued(trial_count() + 1, point);
      if (trial.state != TrialState::pending) continue;
      // One that is ours already was given to us in an answer that was lost.
      if (trial.lease_until >= now && trial.worker != asker.worker(0)) {
        claim.others_busy = true;
        continue;
      }
      hand_out(trial, asker.worker(0), asker.lease);
      claim.trial = std::move(trial);
      return;
    }
  });
  return claim;
}

}  // namespace nomu
