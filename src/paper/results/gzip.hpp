#pragma once
// Whole texts to gzip and back, for rows that are kept in the repository.

#include <string>
#include <string_view>

namespace nomu {

/// The same bytes for the same text: no name and no time go in.
[[nodiscard]] std::string gzip(std::string_view text);

/// Throws DataError naming `name` where the bytes are no gzip, are damaged or stop early.
[[nodiscard]] std::string gunzip(std::string_view bytes, const std::string& name);

}  // namespace nomu
