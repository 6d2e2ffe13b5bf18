#pragma once
// Studies in PostgreSQL. Only the tables outlive a transaction on the server, so that connection poolers can be used:
// no prepared statements, no session locks, no session settings.

#include <memory>

#include "bo/database/database.hpp"
#include "bo/database/postgres_address.hpp"

namespace nomu {

/// Connects. Throws ConnectionLost if the server is away, DataError if it refuses us or the address is wrong,
/// ConfigError if this library was built without PostgreSQL.
[[nodiscard]] std::unique_ptr<Database> connect_postgres(PostgresAddress address, bool writable);

}  // namespace nomu
