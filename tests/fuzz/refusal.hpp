#pragma once
// What every fuzz target allows: bytes may be refused, with a message that says something.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "nomu/core/error.hpp"

/// Calls read(bytes); an Error is an answer, anything else ends the run.
inline int read_or_refuse(const std::uint8_t* bytes, std::size_t size, void (*read)(std::string_view)) {
  try {
    read(std::string_view(reinterpret_cast<const char*>(bytes), size));
  } catch (const nomu::Error& error) {
    if (std::string_view(error.what()).size() < 10) std::abort();
  }
  return 0;
}
