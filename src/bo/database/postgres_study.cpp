#include "bo/database/postgres_study.hpp"

#include <fmt/format.h>

#include "bo/database/database.hpp"

namespace nomu {
namespace {

// A new study has number 0 until it is made, so the lock of number 0 serialises the making of tables and studies.
// A point may have thousands of numbers, more than a B-tree takes; a hash index takes any. Every index but that of the
// points begins with the study, and those for trials in one state hold these alone.
constexpr const char* schema[] = {
    "CREATE TABLE IF NOT EXISTS nomu_studies(id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL "
    "UNIQUE, version integer NOT NULL, oldest integer NOT NULL, made timestamptz NOT NULL DEFAULT now())",
    "CREATE TABLE IF NOT EXISTS nomu_meta(study integer NOT NULL REFERENCES nomu_studies ON DELETE CASCADE, key text "
    "NOT NULL, value text NOT NULL, PRIMARY KEY(study, key))",
    "CREATE TABLE IF NOT EXISTS nomu_events(study integer NOT NULL REFERENCES nomu_studies ON DELETE CASCADE, number "
    "bigint NOT NULL, kind text NOT NULL, trial bigint NOT NULL, body text NOT NULL, at double precision NOT NULL, "
    "PRIMARY KEY(study, number))",
    "CREATE TABLE IF NOT EXISTS nomu_trials(study integer NOT NULL REFERENCES nomu_studies ON DELETE CASCADE, id "
    "bigint NOT NULL, state integer NOT NULL, point text NOT NULL, value double precision, place bigint, reason text "
    "NOT NULL, origin text NOT NULL, worker text NOT NULL, lease double precision NOT NULL, asked double precision NOT "
    "NULL, told double precision NOT NULL, PRIMARY KEY(study, id))",
    "CREATE INDEX IF NOT EXISTS nomu_by_point ON nomu_trials USING hash(point)",
    "CREATE INDEX IF NOT EXISTS nomu_pending ON nomu_trials(study, lease) WHERE state = 0",
    "CREATE INDEX IF NOT EXISTS nomu_failed ON nomu_trials(study, id) WHERE state = 2",
    "CREATE INDEX IF NOT EXISTS nomu_by_place ON nomu_trials(study, place) INCLUDE (value) WHERE place IS NOT NULL",
    "CREATE INDEX IF NOT EXISTS nomu_by_value ON nomu_trials(study, value, place) WHERE place IS NOT NULL",
};

[[noreturn]] void refuse_missing(const std::string& name) {
  throw DataError("bo/study", fmt::format("there is no study '{}'; nomu optimize new creates it", name));
}

}  // namespace

std::int64_t make_postgres_study(PostgresConnection& connection, std::int64_t version) {
  const PostgresResult there = connection.ask({.sql = "SELECT to_regclass('nomu_studies') IS NOT NULL"});
  const bool made = *PQgetvalue(there.get(), 0, 0) != 0;
  if (!made) {
    for (const char* statement : schema) connection.defer({.sql = statement});
  }
  const PostgresResult row = connection.ask(
      {.sql = "INSERT INTO nomu_studies(name, version, oldest) VALUES($1, $2, $2) ON CONFLICT DO NOTHING "
              "RETURNING id",
       .parameters = {postgres_parameter(connection.address().study), postgres_parameter(version)}});
  return PQntuples(row.get()) == 0 ? 0 : postgres_integer(row.get(), 0, 0);
}

std::int64_t find_postgres_study(PostgresConnection& connection) {
  const std::string& name = connection.address().name;
  PostgresResult row;
  try {
    row = connection.ask({.sql = "SELECT id, version, oldest FROM nomu_studies WHERE name = $1",
                          .parameters = {postgres_parameter(connection.address().study)}});
  } catch (const PostgresError& error) {
    if (error.state() == "42P01") refuse_missing(name);  // no table: no study was ever made here
    throw;
  }
  if (PQntuples(row.get()) == 0) refuse_missing(name);
  if (const std::int64_t oldest = postgres_integer(row.get(), 0, 2); oldest > latest_study_version) {
    throw DataError("bo/study",
                    fmt::format("'{}' has format version {}, which a nomu that reads version {} or later can "
                                "work with; this one reads version {}: update it on this machine",
                                name, postgres_integer(row.get(), 0, 1), oldest, latest_study_version));
  }
  return postgres_integer(row.get(), 0, 0);
}

void refuse_postgres(const PostgresError& error, const std::string& name) {
  const std::string_view state = error.state();
  const std::string_view what = error.message();
  if (state == "55P03" || state == "40001" || state == "40P01")
    throw PostgresBusy("bo/study", fmt::format("'{}' is locked by another process", name));
  if (state.starts_with("53")) {
    throw Error("bo/study", fmt::format("the server has no room for '{}' ({}): nothing of this step was recorded, but "
                                        "everything before it is safe; make room and try again",
                                        name, what));
  }
  if (state == "42501" || state == "25006") {
    throw DataError("bo/study", fmt::format("'{}' cannot be written to ({}); the role needs the right to create tables "
                                            "for the first study, and to select, insert, update and delete in them",
                                            name, what));
  }
  throw Error("bo/study", fmt::format("'{}': {} ({})", name, what, state));
}

}  // namespace nomu
