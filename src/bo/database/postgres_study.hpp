#pragma once
// The tables of studies in a PostgreSQL database, and what its errors mean for a study.

#include "bo/database/postgres_connection.hpp"

namespace nomu {

/// Another transaction is in the way; this one should be tried again.
class PostgresBusy : public Error {
 public:
  using Error::Error;
};

/// Inside a transaction: makes the tables if there are none, and an empty study. Returns its number; 0 if there is one
/// of that name.
[[nodiscard]] std::int64_t make_postgres_study(PostgresConnection& connection, std::int64_t version);

/// The number of the study. Throws DataError if there is none, or if only a newer nomu can work with it.
[[nodiscard]] std::int64_t find_postgres_study(PostgresConnection& connection);

/// Throws an error that says what `error` means for the study of that name.
[[noreturn]] void refuse_postgres(const PostgresError& error, const std::string& name);

}  // namespace nomu
