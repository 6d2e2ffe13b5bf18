#include "bo/store/study_store.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "bo/store/study_rows.hpp"
#include "bo/store/study_text.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/printable.hpp"
#include "nomu/core/version.hpp"

namespace nomu {
namespace {

/// Empty if the budget is the one that the study was made with.
std::optional<std::int64_t> budget_from(const Database& database, const std::string& text) {
  if (text.empty()) return {};
  std::int64_t budget = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, budget);
  if (error == std::errc{} && end == last && budget >= 0) return budget;
  throw DataError("bo/study", fmt::format("'{}' is damaged: the budget is '{}'; restore a copy of the file",
                                          database.name(), printable(text, 200)));
}

Space checked_space(Database& database) {
  database.check_study();
  return named(database, [&] { return space_from_text(meta(database, "space")); });
}

/// Trials that may be handed out again. Those reserved for waiting requests (`Askers::others_wait`) have the negative
/// time as their lease, and are free for all others after three seconds.
constexpr const char* ended = "state = 0 AND lease < {now}";
constexpr const char* ended_for_all = "state = 0 AND lease < {now} AND (lease >= 0 OR lease > 3 - {now})";

/// Numbers and settings that every request needs, read by one statement.
struct Heads {
  std::int64_t trials = 0;
  std::int64_t events = 0;
  bool expired = false;  // whether there is a trial whose lease has ended
  std::optional<std::int64_t> budget = {};

  /// How many trials may be added, where `first` is the budget that the study was made with.
  [[nodiscard]] std::size_t left(std::int64_t first) const {
    const std::int64_t most = budget.value_or(first);
    if (most <= 0) return std::numeric_limits<std::size_t>::max();
    return static_cast<std::size_t>(std::max<std::int64_t>(most - trials, 0));
  }
};

Heads heads_of(Database& database, bool waited) {
  Statement row = database.prepare(fmt::format(
      "SELECT (SELECT max(id) FROM {{trials}} WHERE {{mine}}), (SELECT max(number) FROM {{events}} WHERE {{mine}}), "
      "(SELECT id FROM {{trials}} WHERE {{mine}} AND {} LIMIT 1), "
      "(SELECT value FROM {{meta}} WHERE {{mine}} AND key = 'budget')",
      waited ? ended : ended_for_all));
  if (!row.step()) return {};
  return {.trials = row.integer(0),
          .events = row.integer(1),
          .expired = !row.null(2),
          .budget = row.null(3) ? std::nullopt : budget_from(database, row.text(3))};
}

}  // namespace

bool StudyStore::create(Database& database, const Space& space, const OptimizeSpec& spec,
                        const EarlierResults& earlier) {
  bool made = false;
  const bool plain = !space.conditional() && earlier.points.empty();
  database.write([&] {
    made = database.make_study(plain ? first_study_version : latest_study_version);
    if (!made) return;
    if (!earlier.points.empty()) set_meta(database, "earlier", earlier_to_text(earlier));
    set_meta(database, "space", space_to_text(space));
    set_meta(database, "spec", spec_to_text(spec));
    set_meta(database, "version", version());
  });
  return made;
}

StudyStore::StudyStore(std::unique_ptr<Database> database)
    : database_(std::move(database)), space_(checked_space(*database_)) {}

OptimizeSpec StudyStore::spec() const {
  return named(*database_, [&] { return spec_from_text(meta(*database_, "spec")); });
}

std::string StudyStore::note(const std::string& name) const { return meta(*database_, name); }

EarlierResults StudyStore::earlier() const {
  return named(*database_, [&] {
    EarlierResults earlier = earlier_from_text(meta(*database_, "earlier"));
    for (std::size_t k = 0; k < earlier.points.size(); ++k) {
      const Whose whose{.what = "earlier result", .number = static_cast<std::int64_t>(k) + 1};
      check_point(earlier.points[k], space_, whose);
      check_value(earlier.values[k], whose);
    }
    return earlier;
  });
}

std::optional<std::int64_t> StudyStore::budget() const { return budget_from(*database_, meta(*database_, "budget")); }

void StudyStore::set_budget(std::int64_t budget) const {
  database_->write([&] {
    set_meta(*database_, "budget", fmt::format("{}", budget));
    log({.kind = "budget", .value = static_cast<double>(budget)}, database_->now());
  });
}

bool StudyStore::taken(const Point& point) const {
  Statement row = database_->prepare("SELECT 1 FROM {trials} WHERE {mine} AND point = ? LIMIT 1");
  row.bind(1, point_to_text(point));
  return row.step();
}

void StudyStore::log(const StudyEvent& event, double at) const {
  database_
      ->prepare(
          "INSERT INTO {events}({key}number, kind, trial, body, at) VALUES({study}(SELECT coalesce(max(number), 0) + 1 "
          "FROM {events} WHERE {mine}), ?, ?, ?, ?)")
      .bind(1, event.kind)
      .bind(2, event.trial)
      .bind(3, event_to_text(event))
      .bind(4, at)
      .run();
}

/// Inside a transaction: a trial that nobody has becomes the worker's.
void StudyStore::hand_out(Trial& trial, const std::string& worker, double lease) const {
  const double at = database_->now();
  trial.worker = worker;
  trial.asked = at;
  trial.lease_until = at + lease;
  database_->prepare("UPDATE {trials} SET worker = ?, lease = ?, asked = ? WHERE {mine} AND id = ?")
      .bind(1, trial.worker)
      .bind(2, trial.lease_until)
      .bind(3, trial.asked)
      .bind(4, trial.id)
      .run();
  log({.kind = "reissue", .trial = trial.id}, at);
}

/// Inside a transaction.
std::vector<Trial> StudyStore::hand_out_expired(const Askers& askers, bool waited) const {
  Statement rows = database_->prepare(
      fmt::format("{} WHERE {{mine}} AND {} ORDER BY id LIMIT ?", trial_columns, waited ? ended : ended_for_all));
  rows.bind(1, static_cast<std::int64_t>(askers.count));
  std::vector<Trial> trials = read_trials(rows);
  for (std::size_t i = 0; i < trials.size(); ++i) hand_out(trials[i], askers.worker(i), askers.lease);
  return trials;
}

std::vector<Trial> StudyStore::reissue(const Askers& askers, bool waited) const {
  std::vector<Trial> trials;
  // Most of the time there is none, and asking takes no lock.
  if (heads_of(*database_, waited).expired) database_->write([&] { trials = hand_out_expired(askers, waited); });
  return trials;
}

/// A trial without a result.
void StudyStore::insert(const Trial& trial) const {
  database_
      ->prepare(
          "INSERT INTO {trials}({key}id, state, point, reason, origin, worker, lease, asked, told) "
          "VALUES({study}?, 0, ?, '', ?, ?, ?, ?, ?)")
      .bind(1, trial.id)
      .bind(2, point_to_text(trial.point))
      .bind(3, trial.origin)
      .bind(4, trial.worker)
      .bind(5, trial.lease_until)
      .bind(6, trial.asked)
      .bind(7, trial.told)
      .run();
}

/// Inside a transaction.
std::vector<Trial> StudyStore::insert_asked(std::int64_t before, std::int64_t basis,
                                            const std::vector<Suggestion>& suggestions, const Askers& askers,
                                            const std::string& engine) const {
  std::vector<Trial> trials;
  const double at = database_->now();
  for (const Suggestion& suggestion : suggestions) {
    Trial trial{.id = before + 1 + static_cast<std::int64_t>(trials.size()),
                .point = suggestion.point,
                .origin = suggestion.origin,
                .worker = askers.worker(trials.size()),
                .asked = at,
                .lease_until = askers.others_wait ? -at : at + askers.lease};
    insert(trial);
    log({.kind = "ask",
         .trial = trial.id,
         .point = trial.point,
         .text = trial.origin,
         .basis = basis,
         .c = suggestion.c,
         .engine = engine},
        at);
    if (suggestion.c > 0.0) {
      database_->prepare("INSERT INTO {meta}({key}key, value) VALUES({study}'c', ?) ON CONFLICT DO NOTHING")
          .bind(1, number_to_text(suggestion.c))
          .run();
    }
    trials.push_back(std::move(trial));
  }
  return trials;
}

/// The budget may have changed while the suggestions were computed, to stop the study for example.
std::vector<Trial> StudyStore::record(const Snapshot& snapshot, std::vector<Suggestion> suggestions,
                                      const Askers& askers, const Recorded& how) const {
  std::vector<Trial> trials;
  database_->write([&] {
    trials.clear();
    const Heads heads = heads_of(*database_, false);
    if (heads.trials != snapshot.history.trials) return;
    suggestions.resize(std::min(suggestions.size(), heads.left(how.budget)));
    trials = insert_asked(heads.trials, snapshot.basis, suggestions, askers, how.engine);
  });
  return trials;
}

std::vector<Trial> StudyStore::ask_at_once(const Askers& askers, std::int64_t budget, const Suggest& suggest) const {
  std::vector<Trial> trials;
  database_->write([&] {
    trials.clear();
    const Heads heads = heads_of(*database_, false);
    if (heads.expired) trials = hand_out_expired(askers, false);
    const Askers others = askers.after(trials.size());
    const std::size_t wanted = std::min(others.count, heads.left(budget));
    if (wanted == 0) return;
    // Trials that were handed out again have their events after the ones this counts, and no say in the choice.
    std::vector<Trial> added = insert_asked(heads.trials, heads.events, suggest(heads.trials, wanted), others, "");
    std::move(added.begin(), added.end(), std::back_inserter(trials));
  });
  return trials;
}

/// Trials that wait for somebody have a lease of 0 or less. A heartbeat that comes late must not take them.
std::vector<std::int64_t> StudyStore::renew(const std::set<std::int64_t>& ids, double lease,
                                            const std::string& worker) const {
  std::vector<std::int64_t> renewed;
  if (ids.empty()) return renewed;
  database_->write([&] {
    renewed.clear();
    const double until = database_->now() + lease;
    Statement rows = database_->prepare(
        "SELECT id, worker FROM {trials} WHERE {mine} AND state = 0 AND lease > 0 AND id >= ? AND id <= ? ORDER BY id");
    rows.bind(1, *ids.begin()).bind(2, *ids.rbegin());
    while (rows.step()) {
      const bool theirs = worker.empty() || rows.text(1) == worker;
      if (theirs && ids.contains(rows.integer(0))) renewed.push_back(rows.integer(0));
    }
    for (const std::int64_t id : renewed) {
      database_->prepare("UPDATE {trials} SET lease = ? WHERE {mine} AND id = ?").bind(1, until).bind(2, id).run();
    }
  });
  return renewed;
}

std::int64_t StudyStore::release(const std::function<bool(const std::string&)>& gone) const {
  std::int64_t count = 0;
  database_->write([&] {
    count = 0;
    std::vector<std::int64_t> ids;
    Statement rows = database_->prepare("SELECT id, worker FROM {trials} WHERE {mine} AND state = 0");
    while (rows.step()) {
      if (gone(rows.text(1))) ids.push_back(rows.integer(0));
    }
    for (const std::int64_t id : ids) {
      database_->prepare("UPDATE {trials} SET lease = 0 WHERE {mine} AND id = ?").bind(1, id).run();
      ++count;
    }
  });
  return count;
}

}  // namespace nomu
