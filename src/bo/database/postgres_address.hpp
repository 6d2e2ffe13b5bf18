#pragma once
// The address of a study in a PostgreSQL database: postgresql://host/db?study=yield.

#include <string>
#include <string_view>

namespace nomu {

struct PostgresAddress {
  std::string connection;  ///< for libpq; may hold a password, so no message shows it
  std::string study;
  std::string name;  ///< for messages: the address without its secrets
};

[[nodiscard]] bool is_postgres_address(std::string_view place);
/// Throws DataError, without secrets, if the address does not name a study.
[[nodiscard]] PostgresAddress read_postgres_address(std::string_view address);

}  // namespace nomu
