#include "study_damage.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <fstream>
#include <memory>
#include <vector>

namespace nomu {
namespace {

using nlohmann::json;

struct Close {
  void operator()(sqlite3* handle) const { sqlite3_close(handle); }
};
using Handle = std::unique_ptr<sqlite3, Close>;

Handle opened(const std::filesystem::path& file) {
  sqlite3* handle = nullptr;
  sqlite3_open(file.c_str(), &handle);
  return Handle(handle);
}

/// Damage that SQLite refuses, a table that is gone already for example, is none.
void run(const Handle& database, const std::string& sql) {
  sqlite3_exec(database.get(), sql.c_str(), nullptr, nullptr, nullptr);
}

std::string first_text(const Handle& database, const std::string& sql) {
  std::string text;
  const auto keep = [](void* into, int, char** values, char**) {
    if (values[0] != nullptr) *static_cast<std::string*>(into) = values[0];
    return 1;
  };
  sqlite3_exec(database.get(), sql.c_str(), keep, &text, nullptr);
  return text;
}

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? "''" : std::string(1, c);
  return result + "'";
}

/// What a cell of the database may be replaced by.
std::string edge_cell(FuzzRandom& random) {
  static const std::vector<std::string> cells = {"NULL",
                                                 "''",
                                                 "'[]'",
                                                 "'{}'",
                                                 "'[[1]]'",
                                                 "'[1'",
                                                 "'[1,2,3,4,5,6]'",
                                                 "'[0.5,1]'",
                                                 "'[1e999,0,0]'",
                                                 "'[nan,1,1]'",
                                                 "'[-1,99,7]'",
                                                 "'[0.5,2,7]'",
                                                 "'[0.5,1.5,0.5]'",
                                                 "'null'",
                                                 R"('{"point":[]}')",
                                                 R"('{"point":[0.5]}')",
                                                 R"('{"value":"x"}')",
                                                 R"('{"point":[1,2,3],"value":1,"basis":18446744073709551615}')",
                                                 "0",
                                                 "1",
                                                 "2",
                                                 "-1",
                                                 "3",
                                                 "9223372036854775807",
                                                 "-9223372036854775808",
                                                 "4294967296",
                                                 "9e999",
                                                 "-9e999",
                                                 "1e308",
                                                 "x'00ff80'",
                                                 "zeroblob(100000)",
                                                 "'ask'",
                                                 "'tell'",
                                                 "'add'",
                                                 "'fail'",
                                                 "'budget'",
                                                 "'reissue'",
                                                 "char(27)||'[31mred'",
                                                 "'model'",
                                                 "printf('%.*c', 3000, '[')"};
  return one_of(cells, random);
}

std::string change_cells(const Handle& database, FuzzRandom& random) {
  struct Table {
    const char* name;
    std::vector<const char*> columns;
    const char* key;
  };
  static const std::vector<Table> tables = {
      {"trials",
       {"id", "state", "point", "point", "point", "value", "place", "reason", "origin", "worker", "lease", "asked",
        "told"},
       "id"},
      {"events", {"number", "kind", "trial", "body", "body", "body", "at"}, "number"},
      {"meta", {"key", "value", "value"}, "rowid"}};
  const Table& table = one_of(tables, random);
  std::string sql = fmt::format("UPDATE {} SET {} = {}", table.name, one_of(table.columns, random), edge_cell(random));
  if (below(2, random) == 0) sql += fmt::format(" WHERE {} = {}", table.key, 1 + below(12, random));
  run(database, sql);
  return sql;
}

/// One place in the JSON of a meta entry or of an event.
std::string change_text(const Handle& database, FuzzRandom& random) {
  static const std::vector<std::string> places = {
      "value FROM meta WHERE key = 'space'", "value FROM meta WHERE key = 'spec'", "body FROM events WHERE number = {}",
      "value FROM meta WHERE key = 'budget'"};
  const std::string place = fmt::format(fmt::runtime(one_of(places, random)), 1 + below(12, random));
  json text = json::parse(first_text(database, "SELECT " + place), nullptr, false);
  if (text.is_discarded()) return "";
  std::string what = change_json(text, random, place);
  // Settings are texts.
  const std::string value = text.dump(-1, ' ', false, json::error_handler_t::replace);
  const std::size_t from = place.find(" FROM ");
  const std::size_t where = place.find(" WHERE ");
  run(database, fmt::format("UPDATE {} SET {} = {} {}", place.substr(from + 6, where - from - 6), place.substr(0, from),
                            quoted(value), place.substr(where)));
  return what;
}

/// A setting of the study at the edge of its range or beyond.
std::string change_setting(const Handle& database, FuzzRandom& random) {
  json spec = json::parse(first_text(database, "SELECT value FROM meta WHERE key = 'spec'"), nullptr, false);
  if (!spec.is_object() || spec.empty()) return "";
  const auto at = std::next(spec.begin(), static_cast<std::ptrdiff_t>(below(spec.size(), random)));
  const std::string& name = at.key();
  at.value() = name == "settings" && below(2, random) == 0 ? "train.epochs=" + one_of(edge_texts(), random)
                                                           : one_of(edge_texts(), random);
  run(database, "UPDATE meta SET value = " + quoted(spec.dump()) + " WHERE key = 'spec'");
  return "setting " + name + " is " + spec[name].dump();
}

std::string change_schema(const Handle& database, FuzzRandom& random) {
  static const std::vector<std::string> damage = {
      "DROP TABLE trials",
      "DROP TABLE events",
      "DROP TABLE meta",
      "DELETE FROM trials",
      "DELETE FROM events",
      "DELETE FROM meta",
      "DELETE FROM trials WHERE id = 3",
      "DELETE FROM events WHERE number = 4",
      "DELETE FROM meta WHERE key = 'space'",
      "PRAGMA application_id = 1",
      "PRAGMA user_version = 9",
      "DROP INDEX by_place",
      "DROP INDEX by_point",
      "ALTER TABLE trials RENAME COLUMN point TO dot",
      "ALTER TABLE events RENAME COLUMN body TO corpse",
      "ALTER TABLE trials RENAME TO t; CREATE VIEW trials AS SELECT * FROM t",
      ("ALTER TABLE trials RENAME TO t; CREATE VIEW trials AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + "
       "1 "
       "FROM n) SELECT id, 1 AS state, '[0.5,1,1]' AS point, 1.0 AS value, id AS place, '' AS reason, '' AS origin, '' "
       "AS worker, 0 AS lease, 0 AS asked, 0 AS told FROM n"),
      ("ALTER TABLE events RENAME TO e; CREATE VIEW events AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
       "FROM n) SELECT i AS number, 'reissue' AS kind, 1 AS trial, '{}' AS body, 0 AS at FROM n"),
      ("CREATE TRIGGER more AFTER INSERT ON trials BEGIN INSERT INTO events(kind, trial, body, at) VALUES('x', 1, '', "
       "0); END"),
      "CREATE TRIGGER less AFTER INSERT ON events BEGIN DELETE FROM trials; END",
      ("INSERT INTO trials SELECT 9223372036854775807, state, point, value, place, reason, origin, worker, lease, "
       "asked, told FROM trials WHERE id = 1"),
      ("INSERT INTO trials SELECT -5, state, point, value, place, reason, origin, worker, lease, asked, told FROM "
       "trials "
       "WHERE id = 1"),
      "INSERT INTO events SELECT 9223372036854775807, kind, trial, body, at FROM events WHERE number = 1",
      "UPDATE trials SET place = 1 WHERE place IS NOT NULL",
      "ALTER TABLE trials ADD COLUMN more TEXT AS (hex(zeroblob(1000000)))",
      "UPDATE trials SET reason = hex(zeroblob(40000000)) WHERE id = 2",
      "CREATE INDEX costly ON trials(hex(zeroblob(1000000)))",
      ("CREATE TABLE t AS SELECT * FROM trials; DROP TABLE trials; CREATE TABLE trials(id INTEGER PRIMARY KEY, state "
       "INTEGER, point TEXT, value REAL, place INTEGER, reason TEXT AS (hex(zeroblob(100000000))), origin TEXT, worker "
       "TEXT, lease REAL, asked REAL, told REAL); INSERT INTO trials(id, state, point, value, place, origin, worker, "
       "lease, asked, told) SELECT id, state, point, value, place, origin, worker, lease, asked, told FROM t; DROP "
       "TABLE t"),
      "UPDATE trials SET place = 1 WHERE state = 0",
      "UPDATE trials SET place = 90 WHERE state = 2",
      "UPDATE trials SET place = NULL WHERE id = 2",
      "UPDATE trials SET value = NULL WHERE id = 2",
      "UPDATE trials SET state = 0, lease = 0",
      "UPDATE meta SET value = '9223372036854775807' WHERE key = 'budget'",
      "INSERT OR REPLACE INTO meta VALUES('budget', '9223372036854775807')",
      "INSERT OR REPLACE INTO meta VALUES('fitting', '1e300 x')",
      "INSERT OR REPLACE INTO meta VALUES('fitting', 'inf x')",
      ("INSERT OR REPLACE INTO meta VALUES('waiting:a', '1e300 9223372036854775807'), ('waiting:b', '1e300 "
       "9223372036854775807'), ('waiting:c', '9999999999 -9223372036854775808')"),
      "INSERT OR REPLACE INTO meta VALUES('c', 'inf')",
      "INSERT OR REPLACE INTO meta VALUES('c', '1e300')"};
  const std::string& sql = one_of(damage, random);
  run(database, sql);
  return sql;
}

std::string change_bytes(const std::filesystem::path& file, FuzzRandom& random) {
  const std::uintmax_t size = std::filesystem::file_size(file);
  if (below(4, random) == 0) {
    const std::uintmax_t left = below(size, random);
    std::filesystem::resize_file(file, left);
    return fmt::format("{} bytes are left", left);
  }
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  const std::size_t count = 1 + below(20, random);
  for (std::size_t i = 0; i < count; ++i) {
    bytes.seekp(static_cast<std::streamoff>(below(size, random)));
    bytes.put(static_cast<char>(random()));
  }
  return fmt::format("{} bytes are others", count);
}

}  // namespace

std::string damage_study(const std::filesystem::path& file, FuzzRandom& random) {
  const std::size_t kind = below(10, random);
  if (kind == 0) return change_bytes(file, random);
  const Handle database = opened(file);
  if (kind <= 4) return change_cells(database, random);
  if (kind <= 6) return change_text(database, random);
  return kind == 7 ? change_setting(database, random) : change_schema(database, random);
}

}  // namespace nomu
