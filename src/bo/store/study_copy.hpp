#pragma once
// Copies a study as it is, from one engine to another.

#include "bo/database/database.hpp"

namespace nomu {

/// Copies one consistent state of `from`, log, trials and settings, into `to` in one transaction. Returns false, and
/// changes nothing, if there is a study already.
[[nodiscard]] bool copy_rows(Database& from, Database& to);

}  // namespace nomu
