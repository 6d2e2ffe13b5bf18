#pragma once
// How much an ONNX file would take in memory, found out before it is parsed: two bytes of a file can become an object
// of hundreds.

#include <cstddef>
#include <string_view>

namespace nomu {

/// Number of nodes, names, attributes and other strings and messages at all depths; stops counting beyond `most`.
[[nodiscard]] std::size_t wire_fields(std::string_view bytes, std::size_t most);

}  // namespace nomu
