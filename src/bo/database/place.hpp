#pragma once
// Where studies are kept: in a SQLite file of their own, or in a PostgreSQL database that an address names.

#include <filesystem>
#include <functional>
#include <memory>

#include "bo/database/database.hpp"

namespace nomu {

/// Where a study is, and whether a file may be on a file system that several machines share.
struct Place {
  std::filesystem::path place;
  bool trust_file_system = false;
};

/// Opens a study. Throws DataError, and ConnectionLost if its server is away.
[[nodiscard]] std::unique_ptr<Database> open_place(const Place& place, bool writable);

/// Runs `fill` on the database of a new study, which returns false if it finds a study there. Throws DataError if there
/// is one already; leaves nothing behind if that or something else fails.
void make_place(const Place& place, const std::function<bool(Database&)>& fill);

/// An empty database in memory.
[[nodiscard]] std::unique_ptr<Database> place_in_memory();

}  // namespace nomu
