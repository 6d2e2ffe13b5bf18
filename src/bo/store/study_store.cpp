#include "bo/store/study_store.hpp"

#include <fmt/format.h>

#include <charconv>

#include "bo/store/study_rows.hpp"
#include "bo/store/study_text.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/version.hpp"

namespace nomu {
namespace {

constexpr std::int64_t application = 0x6E6F6D75;  // "nomu"
constexpr std::int64_t version_of_file = 1;

constexpr const char* schema = R"sql(
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE events(number INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, trial INTEGER NOT NULL,
                    body TEXT NOT NULL, at REAL NOT NULL);
CREATE TABLE trials(id INTEGER PRIMARY KEY, state INTEGER NOT NULL, point TEXT NOT NULL, value REAL, place INTEGER,
                    reason TEXT NOT NULL, origin TEXT NOT NULL, worker TEXT NOT NULL, lease REAL NOT NULL,
                    asked REAL NOT NULL, told REAL NOT NULL);
CREATE INDEX by_point ON trials(point);
CREATE INDEX by_state ON trials(state, lease);
CREATE INDEX by_place ON trials(place, value) WHERE place IS NOT NULL;
CREATE INDEX by_value ON trials(value) WHERE place IS NOT NULL;
)sql";

void set_meta(const Database& database, std::string_view key, std::string_view value) {
  database.prepare("INSERT OR REPLACE INTO meta VALUES(?, ?)").bind(1, key).bind(2, value).run();
}

std::string meta(const Database& database, std::string_view key) {
  Statement row = database.prepare("SELECT value FROM meta WHERE key = ?");
  row.bind(1, key);
  return row.step() ? row.text(0) : std::string();
}

}  // namespace

bool StudyStore::create(const Database& database, const Space& space, const OptimizeSpec& spec) {
  bool empty = false;
  database.write([&] {
    empty = number_of(database.prepare("SELECT count(*) FROM sqlite_master")) == 0;
    if (!empty) return;
    database.run(fmt::format("PRAGMA application_id={}; PRAGMA user_version={}", application, version_of_file).c_str());
    database.run(schema);
    set_meta(database, "space", space_to_text(space));
    set_meta(database, "spec", spec_to_text(spec));
    set_meta(database, "version", version());
  });
  return empty;
}

namespace {

/// Refuses what another program must have put there: whoever reads a view or a table with a trigger runs its code, and
/// numbers of trials are counted with.
void check_contents(const Database& database, const std::string& file) {
  const auto refuse = [&](std::string_view what) {
    throw DataError("bo/study", fmt::format("'{}' is damaged: {}; restore a copy of the file", file, what));
  };
  const std::int64_t tables = number_of(
      database.prepare("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('meta', 'events', "
                       "'trials') AND sql LIKE 'CREATE TABLE%' AND rootpage > 0"));
  if (tables != 3) refuse("its tables are missing");
  if (number_of(database.prepare("SELECT count(*) FROM sqlite_master WHERE type NOT IN ('table', 'index')")) != 0)
    refuse("it has views or triggers, which studies do not have");
  Statement ids = database.prepare("SELECT count(*), min(id), max(id) FROM trials");
  if (ids.step() && ids.integer(0) > 0 && (ids.integer(1) != 1 || ids.integer(2) != ids.integer(0)))
    refuse("its trials are not numbered from 1 on");
}

Space checked_space(const Database& database) {
  const std::int64_t id = number_of(database.prepare("PRAGMA application_id"));
  const std::int64_t format = number_of(database.prepare("PRAGMA user_version"));
  const std::string file = database.path().string();
  if (id != application) throw DataError("bo/study", fmt::format("'{}' is a database, but not a study", file));
  if (format != version_of_file) {
    throw DataError("bo/study", fmt::format("'{}' has format version {}; this library reads version {}", file, format,
                                            version_of_file));
  }
  check_contents(database, file);
  return space_from_text(meta(database, "space"));
}

}  // namespace

StudyStore::StudyStore(Database database) : database_(std::move(database)), space_(checked_space(database_)) {}

OptimizeSpec StudyStore::spec() const { return spec_from_text(meta(database_, "spec")); }

std::optional<std::int64_t> StudyStore::budget() const {
  const std::string text = meta(database_, "budget");
  std::int64_t budget = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), budget);
  return error == std::errc{} ? std::optional(budget) : std::nullopt;
}

void StudyStore::set_budget(std::int64_t budget) const {
  database_.write([&] {
    set_meta(database_, "budget", fmt::format("{}", budget));
    log({.kind = "budget", .value = static_cast<double>(budget)});
  });
}

StudyStore::Snapshot StudyStore::snapshot(const OptimizeSpec& spec) const {
  Snapshot result;
  History& history = result.history;
  database_.read([&] {
    history = {};
    result.basis = number_of(database_.prepare("SELECT max(number) FROM events"));
    history.trials = trial_count();
    std::vector<double> values;
    std::vector<std::int64_t> places;
    Statement all = database_.prepare("SELECT place, value FROM trials WHERE place IS NOT NULL ORDER BY place");
    while (all.step()) {
      places.push_back(all.integer(0));
      values.push_back(all.real(1));
      check_value(values.back(), {"result", places.back()});
    }
    history.finished = static_cast<std::int64_t>(values.size());
    for (const std::size_t k : fit_subset(values, spec.direction, static_cast<std::size_t>(spec.fit_rows))) {
      Statement row = database_.prepare("SELECT point FROM trials WHERE place = ?");
      row.bind(1, places[k]);
      if (!row.step()) continue;
      history.points.push_back(read_point(row.text(0), space_, {"result", places[k]}));
      history.values.push_back(values[k]);
    }
    const auto latest = [&](TrialState state, std::int64_t most, std::vector<Point>& points) {
      Statement rows = database_.prepare(
          "SELECT point, id FROM (SELECT id, point FROM trials WHERE state = ? ORDER BY id DESC LIMIT ?) ORDER BY id");
      rows.bind(1, static_cast<std::int64_t>(state)).bind(2, most);
      while (rows.step()) points.push_back(read_point(rows.text(0), space_, {"trial", rows.integer(1)}));
    };
    latest(TrialState::failed, most_failed, history.failed);
    latest(TrialState::pending, most_pending, history.pending);
    const std::string c = meta(database_, "c");
    if (!c.empty()) history.c = number_from_text(c);
  });
  return result;
}

bool StudyStore::taken(const Point& point) const {
  Statement row = database_.prepare("SELECT 1 FROM trials WHERE point = ? LIMIT 1");
  row.bind(1, point_to_text(point));
  return row.step();
}

void StudyStore::log(const StudyEvent& event) const {
  database_.prepare("INSERT INTO events(kind, trial, body, at) VALUES(?, ?, ?, ?)")
      .bind(1, event.kind)
      .bind(2, event.trial)
      .bind(3, event_to_text(event))
      .bind(4, seconds_now())
      .run();
}

std::vector<Trial> StudyStore::reissue(std::size_t count, double lease, std::string_view worker) const {
  std::vector<Trial> trials;
  const double at = seconds_now();
  // Most of the time there is none, and asking takes no lock.
  Statement any = database_.prepare("SELECT 1 FROM trials WHERE state = 0 AND lease < ? LIMIT 1");
  if (!any.bind(1, at).step()) return trials;
  database_.write([&] {
    Statement rows =
        database_.prepare(fmt::format("{} WHERE state = 0 AND lease < ? ORDER BY id LIMIT ?", trial_columns).c_str());
    rows.bind(1, at).bind(2, static_cast<std::int64_t>(count));
    trials = read_trials(rows);
    for (Trial& trial : trials) {
      trial.worker = worker;
      trial.lease_until = at + lease;
      database_.prepare("UPDATE trials SET worker = ?, lease = ? WHERE id = ?")
          .bind(1, worker)
          .bind(2, trial.lease_until)
          .bind(3, trial.id)
          .run();
      log({.kind = "reissue", .trial = trial.id});
    }
  });
  return trials;
}

std::vector<Trial> StudyStore::record(const Snapshot& snapshot, const std::vector<Suggestion>& suggestions,
                                      double lease, std::string_view worker, const std::string& engine) const {
  std::vector<Trial> trials;
  database_.write([&] {
    trials.clear();
    if (trial_count() != snapshot.history.trials) return;
    const double at = seconds_now();
    for (const Suggestion& suggestion : suggestions) {
      Trial trial{.id = snapshot.history.trials + 1 + static_cast<std::int64_t>(trials.size()),
                  .point = suggestion.point,
                  .origin = suggestion.origin,
                  .worker = std::string(worker),
                  .asked = at,
                  .lease_until = at + lease};
      const std::string point = point_to_text(trial.point);
      database_.prepare("INSERT INTO trials VALUES(?, 0, ?, NULL, NULL, '', ?, ?, ?, ?, 0)")
          .bind(1, trial.id)
          .bind(2, point)
          .bind(3, trial.origin)
          .bind(4, worker)
          .bind(5, trial.lease_until)
          .bind(6, at)
          .run();
      log({.kind = "ask",
           .trial = trial.id,
           .point = trial.point,
           .text = trial.origin,
           .basis = snapshot.basis,
           .c = suggestion.c,
           .engine = engine});
      if (suggestion.c > 0.0) {
        database_.prepare("INSERT OR IGNORE INTO meta VALUES('c', ?)").bind(1, number_to_text(suggestion.c)).run();
      }
      trials.push_back(std::move(trial));
    }
  });
  return trials;
}

Trial StudyStore::require(std::int64_t id) const {
  std::optional<Trial> trial = find(id);
  if (trial) return *trial;
  throw DataError("bo/study", fmt::format("there is no trial {}; there are {}", id, trial_count()));
}

void StudyStore::finish(std::int64_t id, std::optional<double> value, std::string_view reason, bool replace) const {
  database_.write([&] {
    const Trial trial = require(id);
    const bool replaces = trial.state != TrialState::pending;
    if (replaces && !replace) {
      throw DataError("bo/study",
                      fmt::format("trial {} has {} already; --replace (replace = true in C++) overwrites it", id,
                                  trial.value ? fmt::format("the value {}", *trial.value)
                                              : fmt::format("failed ({})", trial.reason)));
    }
    if (value) {
      database_
          .prepare(
              "UPDATE trials SET state = 1, value = ?, reason = '', told = ?, place = coalesce(place, (SELECT "
              "coalesce(max(place), 0) + 1 FROM trials WHERE place IS NOT NULL)) WHERE id = ?")
          .bind(1, *value)
          .bind(2, seconds_now())
          .bind(3, id)
          .run();
    } else {
      database_.prepare("UPDATE trials SET state = 2, value = NULL, place = NULL, reason = ?, told = ? WHERE id = ?")
          .bind(1, reason)
          .bind(2, seconds_now())
          .bind(3, id)
          .run();
    }
    log({.kind = value ? "tell" : "fail",
         .trial = id,
         .value = value,
         .text = std::string(reason),
         .replaces = replaces});
  });
}

Trial StudyStore::add(const Point& point, double value) const {
  Trial trial{.point = point, .state = TrialState::finished, .value = value, .origin = "given"};
  database_.write([&] {
    trial.id = trial_count() + 1;
    trial.asked = trial.told = seconds_now();
    const std::string text = point_to_text(point);
    database_
        .prepare(
            "INSERT INTO trials VALUES(?, 1, ?, ?, (SELECT coalesce(max(place), 0) + 1 FROM trials WHERE place IS "
            "NOT NULL), '', 'given', '', 0, ?, ?)")
        .bind(1, trial.id)
        .bind(2, text)
        .bind(3, value)
        .bind(4, trial.asked)
        .bind(5, trial.told)
        .run();
    log({.kind = "add", .trial = trial.id, .point = point, .value = value});
  });
  return trial;
}

void StudyStore::renew(std::int64_t id, double lease) const {
  database_.write([&] {
    database_.prepare("UPDATE trials SET lease = ? WHERE id = ? AND state = 0")
        .bind(1, seconds_now() + lease)
        .bind(2, id)
        .run();
  });
}

std::int64_t StudyStore::release(const std::function<bool(const std::string&)>& gone) const {
  std::int64_t count = 0;
  database_.write([&] {
    count = 0;
    std::vector<std::int64_t> ids;
    Statement rows = database_.prepare("SELECT id, worker FROM trials WHERE state = 0");
    while (rows.step()) {
      if (gone(rows.text(1))) ids.push_back(rows.integer(0));
    }
    for (const std::int64_t id : ids) {
      database_.prepare("UPDATE trials SET lease = 0 WHERE id = ?").bind(1, id).run();
      ++count;
    }
  });
  return count;
}

}  // namespace nomu
