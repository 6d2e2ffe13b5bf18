// The tables of a study in a SQLite file.

#include <fmt/format.h>

#include <set>
#include <string>

#include "bo/database/sqlite_database.hpp"
#include "core/text/utf8.hpp"
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

/// Without blanks and line ends, in which versions of nomu and tools may differ.
std::string packed(std::string_view sql) {
  std::string text;
  for (const char c : sql) {
    if (c != ' ' && c != '\n' && c != '\r' && c != '\t') text += c;
  }
  return text;
}

/// Every statement that may be in the file: those of the schema, which is the same for all versions, and of tables that
/// SQLite makes itself.
std::set<std::string> known_statements() {
  std::set<std::string> known{"CREATETABLEsqlite_sequence(name,seq)", "CREATETABLEsqlite_stat1(tbl,idx,stat)",
                              "CREATETABLEsqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)"};
  std::string_view rest = schema;
  for (std::size_t end = rest.find(';'); end != std::string_view::npos; end = rest.find(';')) {
    known.insert(packed(rest.substr(0, end)));
    rest.remove_prefix(end + 1);
  }
  return known;
}

/// Refuses what nomu never writes. Reading a view, a generated column or an index of an expression runs code of the
/// file, and writing runs triggers and defaults; other code relies on trials being numbered from 1.
void check_contents(SqliteDatabase& database) {
  const auto refuse = [&](std::string_view what) {
    throw DataError("bo/study", fmt::format("'{}' is damaged: {}; restore a copy of the file", database.name(), what));
  };
  const std::set<std::string> known = known_statements();
  std::set<std::string> tables;
  Statement parts = database.prepare("SELECT type, name, sql, rootpage FROM sqlite_master");
  while (parts.step()) {
    const std::string type = parts.text(0);
    const std::string name = parts.text(1);
    const std::string sql = packed(parts.text(2));
    if (type != "table" && type != "index") refuse("it has views or triggers, which studies do not have");
    const bool named = sql.starts_with((type == "table" ? "CREATETABLE" : "CREATEINDEX") + name);
    const bool automatic = type == "index" && parts.null(2) && name.starts_with("sqlite_autoindex_");
    if ((!automatic && (!named || !known.contains(sql))) || parts.integer(3) <= 0)
      refuse(fmt::format("its {} '{}' is not one that studies have", type, shortened(made_utf8(name), 100)));
    tables.insert(name);
  }
  for (const char* table : {"meta", "events", "trials"}) {
    if (!tables.contains(table)) refuse("its tables are missing");
  }
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
