#pragma once
// Whether the header of a file may be parsed. Values take far more memory than their text, most of all empty ones.

#include <cstddef>
#include <string_view>

namespace nomu {

/// Throws DataError for a header that is nested too deeply, or that would take far more memory once parsed than the
/// whole file has bytes.
void check_header_text(std::string_view text, std::size_t file_bytes);

}  // namespace nomu
