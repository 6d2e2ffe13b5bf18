// The tables of a study in a SQLite file.

#include <fmt/format.h>

#include "bo/database/sqlite_database.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr std::int64_t application = 0x6E6F6D75;  // "nomu"

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

std::int64_t selected(SqliteDatabase& database, const char* sql) {
  Statement row = database.prepare(sql);
  return row.step() ? row.integer(0) : 0;
}

/// Refuses what nomu never writes: reading a view, or a table with a trigger, would run its code, and other code relies
/// on trials being numbered from 1.
void check_contents(SqliteDatabase& database) {
  const auto refuse = [&](std::string_view what) {
    throw DataError("bo/study", fmt::format("'{}' is damaged: {}; restore a copy of the file", database.name(), what));
  };
  const std::int64_t tables =
      selected(database,
               "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('meta', 'events', 'trials') AND "
               "sql LIKE 'CREATE TABLE%' AND rootpage > 0");
  if (tables != 3) refuse("its tables are missing");
  if (selected(database, "SELECT count(*) FROM sqlite_master WHERE type NOT IN ('table', 'index')") != 0)
    refuse("it has views or triggers, which studies do not have");
  Statement ids = database.prepare("SELECT count(*), min(id), max(id) FROM trials");
  if (ids.step() && ids.integer(0) > 0 && (ids.integer(1) != 1 || ids.integer(2) != ids.integer(0)))
    refuse("its trials are not numbered from 1 on");
}

}  // namespace

std::int64_t SqliteDatabase::study_version() { return selected(*this, "PRAGMA user_version"); }

bool SqliteDatabase::make_study(std::int64_t version) {
  if (selected(*this, "SELECT count(*) FROM sqlite_master") != 0) return false;
  run(fmt::format("PRAGMA application_id={}; PRAGMA user_version={}", application, version).c_str());
  run(schema);
  return true;
}

void SqliteDatabase::check_study() {
  const std::int64_t id = selected(*this, "PRAGMA application_id");
  const std::int64_t format = study_version();
  if (id != application) throw DataError("bo/study", fmt::format("'{}' is a database, but not a study", name()));
  if (format < first_study_version || format > latest_study_version) {
    throw DataError("bo/study", fmt::format("'{}' has format version {}; this nomu reads versions {} to {}{}", name(),
                                            format, first_study_version, latest_study_version,
                                            format > latest_study_version ? ": update it on this machine" : ""));
  }
  check_contents(*this);
}

std::string SqliteDatabase::damage() {
  Statement row = prepare("PRAGMA integrity_check(1)");
  const std::string answer = row.step() ? row.text(0) : "no answer";
  return answer == "ok" ? std::string() : answer;
}

}  // namespace nomu
