#include "bo/store/study_rows.hpp"

#include <fmt/format.h>

#include <chrono>

#include "bo/store/study_store.hpp"
#include "bo/store/study_text.hpp"

namespace nomu {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

Trial read_trial(const Statement& row) {
  Trial trial{.id = row.integer(0),
              .point = point_from_text(row.text(2)),
              .state = static_cast<TrialState>(row.integer(1)),
              .reason = row.text(4),
              .origin = row.text(5),
              .worker = row.text(6),
              .asked = row.real(8),
              .told = row.real(9),
              .lease_until = row.real(7)};
  if (!row.null(3)) trial.value = row.real(3);
  return trial;
}

std::int64_t number_of(Statement statement) { return statement.step() ? statement.integer(0) : 0; }

std::int64_t StudyStore::trial_count() const { return number_of(database_.prepare("SELECT max(id) FROM trials")); }

StudyStatus StudyStore::status(Direction direction) const {
  StudyStatus status;
  database_.read([&] {
    const auto count = [&](TrialState state) {
      Statement row = database_.prepare("SELECT count(*) FROM trials WHERE state = ?");
      row.bind(1, static_cast<std::int64_t>(state));
      return number_of(std::move(row));
    };
    status.trials = trial_count();
    status.finished = count(TrialState::finished);
    status.failed = count(TrialState::failed);
    status.pending = count(TrialState::pending);
    Statement expired = database_.prepare("SELECT count(*) FROM trials WHERE state = 0 AND lease < ?");
    expired.bind(1, seconds_now());
    status.expired = number_of(std::move(expired));
    status.best = best(direction);
  });
  return status;
}

std::optional<Trial> StudyStore::best(Direction direction) const {
  const char* order = direction == Direction::maximize ? "DESC" : "ASC";
  Statement row = database_.prepare(
      fmt::format("{} WHERE place IS NOT NULL ORDER BY value {}, place LIMIT 1", trial_columns, order).c_str());
  if (!row.step()) return {};
  return read_trial(row);
}

std::optional<Trial> StudyStore::find(std::int64_t id) const {
  Statement row = database_.prepare(fmt::format("{} WHERE id = ?", trial_columns).c_str());
  if (!row.bind(1, id).step()) return {};
  return read_trial(row);
}

std::vector<Trial> StudyStore::trials(std::int64_t limit) const {
  std::vector<Trial> trials;
  const std::int64_t first = limit > 0 ? trial_count() - limit : 0;
  Statement rows = database_.prepare(fmt::format("{} WHERE id > ? ORDER BY id", trial_columns).c_str());
  rows.bind(1, first);
  while (rows.step()) trials.push_back(read_trial(rows));
  return trials;
}

void StudyStore::each_event(const std::function<void(const StudyEvent&)>& use) const {
  Statement rows = database_.prepare("SELECT number, kind, trial, body FROM events ORDER BY number");
  while (rows.step()) {
    StudyEvent event = event_from_text(rows.text(3));
    event.number = rows.integer(0);
    event.kind = rows.text(1);
    event.trial = rows.integer(2);
    use(event);
  }
}

std::string StudyStore::damage() const {
  Statement row = database_.prepare("PRAGMA integrity_check(1)");
  const std::string answer = row.step() ? row.text(0) : "no answer";
  return answer == "ok" ? std::string() : answer;
}

}  // namespace nomu
