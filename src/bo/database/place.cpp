#include "bo/database/place.hpp"

#include <fmt/format.h>

#include "bo/database/claimed_file.hpp"
#include "bo/database/file_system.hpp"
#include "bo/database/postgres_address.hpp"
#include "bo/database/postgres_database.hpp"
#include "bo/database/sqlite_database.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

[[noreturn]] void refuse_existing(const std::string& name) {
  throw DataError("bo/study", fmt::format("'{}' exists already; choose another name or remove it", name));
}

/// A process that is killed here leaves an empty file, or one without tables. Such a file holds no study and may be
/// reused, unless another process is still working on it.
void make_file(const std::filesystem::path& path, const std::function<bool(Database&)>& fill) {
  const ClaimedFile claim(path);
  if (!claim.locked()) refuse_existing(path.string());
  try {
    SqliteDatabase database(path, SqliteDatabase::Access::create);
    if (!fill(database)) refuse_existing(path.string());
  } catch (const Error& error) {
    const bool foreign = dynamic_cast<const DataError*>(&error) != nullptr;
    if (!claim.created() && foreign) refuse_existing(path.string());
    std::error_code ignored;
    for (const char* end : {"-wal", "-shm", ""}) {
      if (claim.created()) std::filesystem::remove(path.string() + end, ignored);
    }
    throw;
  }
}

}  // namespace

std::unique_ptr<Database> open_place(const Place& place, bool writable) {
  const std::string name = place.place.string();
  if (is_postgres_address(name)) return connect_postgres(read_postgres_address(name), writable);
  if (!place.trust_file_system) refuse_shared_file_system(place.place);
  return std::make_unique<SqliteDatabase>(place.place,
                                          writable ? SqliteDatabase::Access::write : SqliteDatabase::Access::read);
}

void make_place(const Place& place, const std::function<bool(Database&)>& fill) {
  const std::string name = place.place.string();
  if (name == ":memory:")
    throw DataError("bo/study", "':memory:' cannot be the name of a file; choose another one for the study");
  if (!is_postgres_address(name)) {
    if (!place.trust_file_system) refuse_shared_file_system(place.place);
    return make_file(place.place, fill);
  }
  const std::unique_ptr<Database> database = connect_postgres(read_postgres_address(name), true);
  if (!fill(*database)) refuse_existing(database->name());
}

std::unique_ptr<Database> place_in_memory() {
  return std::make_unique<SqliteDatabase>(":memory:", SqliteDatabase::Access::create);
}

}  // namespace nomu
