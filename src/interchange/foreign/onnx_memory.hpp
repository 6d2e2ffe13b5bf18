#pragma once
// What a file would take in memory once parsed, found without parsing it.

#include <string_view>

namespace nomu {

/// Throws DataError if an ONNX file describes so many small objects that they would take far more memory than the file
/// itself: two bytes of a file can describe an object of some hundred bytes.
void require_modest(std::string_view bytes);

}  // namespace nomu
