#include "bo/store/study_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bo/store/study_store.hpp"
#include "bo/store/study_text.hpp"
#include "core/text/utf8.hpp"
#include "nomu/core/error.hpp"

namespace nomu {

std::string naming(const Database& database, const Error& error) {
  constexpr std::string_view nameless = "the file ";
  const std::string_view message = error.message();
  if (message.find(fmt::format("'{}'", database.name())) != std::string_view::npos) return std::string(message);
  if (!message.starts_with(nameless)) return fmt::format("'{}': {}", database.name(), message);
  return fmt::format("'{}' {}", database.name(), message.substr(nameless.size()));
}

void check_point(const Point& point, const Space& space, const Whose& whose) {
  try {
    space.check(point);
  } catch (const DataError& error) {
    throw DataError("bo/study", fmt::format("the file is damaged: the point of {} {} is not one of this study ({}); "
                                            "restore a copy of the file",
                                            whose.what, whose.number, error.what()));
  }
}

Point read_point(const std::string& text, const Space& space, const Whose& whose) {
  Point point = point_from_text(text);
  check_point(point, space, whose);
  return point;
}

void check_value(double value, const Whose& whose) {
  if (std::isfinite(value)) return;
  throw DataError("bo/study", fmt::format("the file is damaged: the result of {} {} is {}; restore a copy of the file",
                                          whose.what, whose.number, value));
}

namespace {

constexpr std::string_view cost_prefix = "cost:";

}  // namespace

std::string cost_key(std::int64_t trial) { return fmt::format("{}{}", cost_prefix, trial); }

void check_cost(double cost, const Whose& whose) {
  if (std::isfinite(cost) && cost > 0.0) return;
  throw DataError("bo/study", fmt::format("the file is damaged: the cost of {} {} is {}; restore a copy of the file",
                                          whose.what, whose.number, cost));
}

std::map<std::int64_t, double> read_costs(Database& database) {
  std::map<std::int64_t, double> costs;
  Statement rows = database.prepare("SELECT key, value FROM {meta} WHERE {mine} AND key LIKE 'cost:%'");
  while (rows.step()) {
    const std::int64_t trial = std::atoll(rows.text(0).substr(cost_prefix.size()).c_str());
    const double cost = number_from_text(rows.text(1));
    check_cost(cost, {"trial", trial});
    costs[trial] = cost;
  }
  return costs;
}

void refuse_place(std::int64_t trial) {
  throw DataError("bo/study", fmt::format("the file is damaged: trial {} has a result without a place of its own among "
                                          "the results, or the other way round; restore a copy of the file",
                                          trial));
}

namespace {

/// Seconds since 1970; 0 for what has not happened.
double checked_time(double time, const Whose& whose) {
  constexpr double end_of_year_9999 = 253402300800.0;
  if (time >= 0.0 && time < end_of_year_9999) return time;
  throw DataError("bo/study", fmt::format("the file is damaged: a time of {} {} is {}; restore a copy of the file",
                                          whose.what, whose.number, time));
}

}  // namespace

Trial read_trial(const Statement& row, const Space& space) {
  const Whose whose{.what = "trial", .number = row.integer(0)};
  Trial trial{.id = row.integer(0),
              .point = read_point(row.text(2), space, whose),
              .state = TrialState::failed,
              .reason = made_utf8(row.text(4)),
              .origin = made_utf8(row.text(5)),
              .worker = made_utf8(row.text(6)),
              .asked = checked_time(row.real(8), whose),
              .told = checked_time(row.real(9), whose),
              .lease_until = std::max(row.real(7), 0.0)};
  if (!row.null(3)) trial.value = row.real(3);
  if (!row.null(10)) {
    trial.cost = number_from_text(row.text(10));
    check_cost(*trial.cost, whose);
  }
  check_value(trial.value.value_or(0.0), whose);
  const std::int64_t state = row.integer(1);
  if (state < 0 || state > static_cast<std::int64_t>(TrialState::failed) ||
      (state == static_cast<std::int64_t>(TrialState::finished)) != trial.value.has_value()) {
    throw DataError("bo/study", fmt::format("the file is damaged: trial {} has a state that does not exist, or a "
                                            "result that does not match it; restore a copy of the file",
                                            trial.id));
  }
  if (row.null(11) == trial.value.has_value()) refuse_place(trial.id);
  trial.state = static_cast<TrialState>(state);
  return trial;
}

void set_meta(Database& database, std::string_view key, std::string_view value) {
  database.prepare("DELETE FROM {meta} WHERE {mine} AND key = ?").bind(1, key).run();
  database.prepare("INSERT INTO {meta}({key}key, value) VALUES({study}?, ?)").bind(1, key).bind(2, value).run();
}

std::string meta(Database& database, std::string_view key) {
  Statement row = database.prepare("SELECT value FROM {meta} WHERE {mine} AND key = ?");
  row.bind(1, key);
  return row.step() ? row.text(0) : std::string();
}

std::int64_t number_of(Statement statement) { return statement.step() ? statement.integer(0) : 0; }

std::int64_t StudyStore::trial_count() const {
  return number_of(database_->prepare("SELECT max(id) FROM {trials} WHERE {mine}"));
}

StudyStatus StudyStore::status(Direction direction) const {
  StudyStatus status;
  database_->read([&] {
    const auto count = [&](const char* condition) {
      return number_of(
          database_->prepare(fmt::format("SELECT count(*) FROM {{trials}} WHERE {{mine}} AND {}", condition)));
    };
    status.trials = trial_count();
    status.failed = count("state = 2");
    status.pending = count("state = 0");
    status.expired = count("state = 0 AND lease < {now}");
    status.finished = status.trials - status.failed - status.pending;
    status.best_result = best(direction);
  });
  return status;
}

std::optional<Trial> StudyStore::best(Direction direction) const {
  const char* order = direction == Direction::maximize ? "DESC" : "ASC";
  Statement row = database_->prepare(
      fmt::format("{} WHERE {{mine}} AND place IS NOT NULL ORDER BY value {}, place LIMIT 1", trial_columns, order));
  if (!row.step()) return {};
  return named(*database_, [&] { return read_trial(row, space_); });
}

std::optional<Trial> StudyStore::find(std::int64_t id) const {
  Statement row = database_->prepare(fmt::format("{} WHERE {{mine}} AND id = ?", trial_columns));
  if (!row.bind(1, id).step()) return {};
  return named(*database_, [&] { return read_trial(row, space_); });
}

std::vector<Trial> StudyStore::trials(std::int64_t limit) const {
  const std::int64_t first = limit > 0 ? trial_count() - limit : 0;
  Statement rows = database_->prepare(fmt::format("{} WHERE {{mine}} AND id > ? ORDER BY id", trial_columns));
  rows.bind(1, first);
  return read_trials(rows);
}

std::vector<Trial> StudyStore::pending() const {
  Statement rows = database_->prepare(fmt::format("{} WHERE {{mine}} AND state = 0 ORDER BY id", trial_columns));
  return read_trials(rows);
}

std::int64_t StudyStore::last_event() const {
  return number_of(database_->prepare("SELECT max(number) FROM {events} WHERE {mine}"));
}

StudyChanges StudyStore::changes(std::int64_t since, std::string_view mark) const {
  Statement rows = database_->prepare(
      "SELECT number, kind, trial, at FROM {events} WHERE {mine} AND (number = ? OR number = (SELECT max(number) FROM "
      "{events} WHERE {mine})) ORDER BY number");
  rows.bind(1, since);
  StudyChanges changes{.anew = since > 0};
  while (rows.step()) {
    changes.event = rows.integer(0);
    changes.mark = fmt::format("{} {} {}", rows.text(1), rows.integer(2), rows.real(3));
    if (changes.event == since && (mark.empty() || mark == changes.mark)) changes.anew = false;
  }
  if (changes.anew || since == 0)
    changes.trials = trials(0);
  else if (changes.event > since)
    changes.trials = changed(since);
  return changes;
}

/// Trials that an event after this one is about.
std::vector<Trial> StudyStore::changed(std::int64_t since) const {
  Statement rows = database_->prepare(fmt::format(
      "{} WHERE {{mine}} AND id IN (SELECT trial FROM {{events}} WHERE {{mine}} AND number > ?) ORDER BY id",
      trial_columns));
  rows.bind(1, since);
  return read_trials(rows);
}

std::vector<Trial> StudyStore::read_trials(Statement& rows) const {
  std::vector<Trial> trials;
  named(*database_, [&] {
    while (rows.step()) trials.push_back(read_trial(rows, space_));
  });
  return trials;
}

namespace {

StudyEvent read_event(const Statement& row, const Space& space) {
  const Whose whose{.what = "event", .number = row.integer(0)};
  StudyEvent event = event_from_text(row.text(3));
  event.number = whose.number;
  event.kind = made_utf8(row.text(1));
  event.trial = row.integer(2);
  if (event.kind == "ask" || event.kind == "queue" || event.kind == "add") check_point(event.point, space, whose);
  const bool needs_value = event.kind == "tell" || event.kind == "add" || event.kind == "budget";
  if (needs_value && !event.value) throw DataError("bo/study", "the file is damaged: it has no value");
  check_value(event.value.value_or(0.0), whose);
  check_cost(event.cost.value_or(1.0), whose);
  return event;
}

}  // namespace

void StudyStore::each_event(const std::function<void(const StudyEvent&)>& use) const {
  Statement rows = database_->prepare("SELECT number, kind, trial, body FROM {events} WHERE {mine} ORDER BY number");
  while (rows.step()) {
    StudyEvent event;
    try {
      event = read_event(rows, space_);
    } catch (const DataError& error) {
      throw DataError("bo/study",
                      fmt::format("'{}', event {}: {}", database_->name(), rows.integer(0), error.message()));
    }
    use(event);
  }
}

}  // namespace nomu
