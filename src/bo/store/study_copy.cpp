#include "bo/store/study_copy.hpp"

#include <fmt/format.h>

#include "bo/store/fit_turn.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

void copy_meta(Database& from, Database& to) {
  Statement rows = from.prepare("SELECT key, value FROM {meta} WHERE {mine} ORDER BY key");
  while (rows.step()) {
    if (is_turn_note(rows.text(0))) continue;  // waiting processes wait for the original
    to.prepare("INSERT INTO {meta}({key}key, value) VALUES({study}?, ?)")
        .bind(1, rows.text(0))
        .bind(2, rows.text(1))
        .run();
  }
}

void copy_events(Database& from, Database& to) {
  Statement rows = from.prepare("SELECT number, kind, trial, body, at FROM {events} WHERE {mine} ORDER BY number");
  while (rows.step()) {
    to.prepare("INSERT INTO {events}({key}number, kind, trial, body, at) VALUES({study}?, ?, ?, ?, ?)")
        .bind(1, rows.integer(0))
        .bind(2, rows.text(1))
        .bind(3, rows.integer(2))
        .bind(4, rows.text(3))
        .bind(5, rows.real(4))
        .run();
  }
}

void copy_trials(Database& from, Database& to) {
  Statement rows = from.prepare(
      "SELECT id, state, point, reason, origin, worker, lease, asked, told, value, place FROM {trials} WHERE {mine} "
      "ORDER BY id");
  while (rows.step()) {
    const bool finished = !rows.null(9);
    if (finished == rows.null(10)) {
      throw DataError("bo/study", fmt::format("'{}' is damaged: trial {} has a result without a place among the "
                                              "results, or the other way round; restore a copy",
                                              from.name(), rows.integer(0)));
    }
    Statement row = to.prepare(
        finished ? "INSERT INTO {trials}({key}id, state, point, reason, origin, worker, lease, asked, told, value, "
                   "place) VALUES({study}?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                 : "INSERT INTO {trials}({key}id, state, point, reason, origin, worker, lease, asked, told) "
                   "VALUES({study}?, ?, ?, ?, ?, ?, ?, ?, ?)");
    row.bind(1, rows.integer(0)).bind(2, rows.integer(1));
    for (int column = 2; column <= 5; ++column) row.bind(column + 1, rows.text(column));
    for (int column = 6; column <= 8; ++column) row.bind(column + 1, rows.real(column));
    if (finished) row.bind(10, rows.real(9)).bind(11, rows.integer(10));
    row.run();
  }
}

}  // namespace

bool copy_rows(Database& from, Database& to) {
  bool made = false;
  from.read([&] {
    to.write([&] {
      made = to.make_study(from.study_version());
      if (!made) return;
      copy_meta(from, to);
      copy_events(from, to);
      copy_trials(from, to);
    });
  });
  return made;
}

}  // namespace nomu
