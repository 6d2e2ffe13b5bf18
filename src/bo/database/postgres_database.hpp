#pragma once
// Studies in PostgreSQL. Nothing outlives a transaction on the server but the tables, so that a pooler may stand
// between: no prepared statements, no session locks, no settings of a session.

#include <memory>

#include "bo/database/database.hpp"
#include "bo/database/postgres_address.hpp"

namespace nomu {

/// Connects. Throws DataError if that is not possible, ConfigError if this library was built without PostgreSQL.
[[nodiscard]] std::unique_ptr<Database> connect_postgres(PostgresAddress address, bool writable);

}  // namespace nomu
