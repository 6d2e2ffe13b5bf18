#include "nomu/core/error.hpp"

#include <fmt/format.h>

#include "nomu/core/printable.hpp"

namespace nomu {
namespace {

/// Messages repeat cells and names, which may be of any length and hold any bytes.
constexpr std::size_t most_bytes = 4000;

}  // namespace

Error::Error(std::string_view where, std::string_view message)
    : std::runtime_error(fmt::format("[{}] {}", where, printable(message, most_bytes))) {}

std::string_view Error::where() const {
  const std::string_view text = what();
  return text.substr(1, text.find("] ") - 1);
}

std::string_view Error::message() const {
  const std::string_view text = what();
  return text.substr(text.find("] ") + 2);
}

}  // namespace nomu
