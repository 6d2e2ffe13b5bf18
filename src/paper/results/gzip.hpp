#pragma once
// Compresses and decompresses whole texts, for result rows stored in the repository.

#include <string>
#include <string_view>

namespace nomu {

/// The same text always gives the same bytes: no name or time is included.
[[nodiscard]] std::string gzip(std::string_view text);

/// Throws DataError with `name` when the bytes are not gzip, damaged or cut off.
[[nodiscard]] std::string gunzip(std::string_view bytes, const std::string& name);

}  // namespace nomu
