// Stands in for PostgreSQL where libpq is not installed.

#include "bo/database/postgres_database.hpp"
#include "nomu/core/error.hpp"

namespace nomu {

std::unique_ptr<Database> connect_postgres(PostgresAddress /*address*/, bool /*writable*/) {
  throw ConfigError("bo/study",
                    "this nomu was built without PostgreSQL; install libpq (Debian: libpq-dev) and build it again, or "
                    "keep the study in a file");
}

}  // namespace nomu
