#pragma once
// Whether the header of a file may be parsed. Values take far more memory than their text, most of all empty ones.

#include <cstddef>
#include <string_view>

#include "core/text/json_text.hpp"
#include "nomu/core/error.hpp"

namespace nomu {

/// Throws DataError for a header that is nested too deeply, larger than any fit writes one, or made of little more than
/// empty lists and objects.
inline void check_header_text(std::string_view text) {
  constexpr std::size_t most_bytes = std::size_t{256} << 20U;
  constexpr std::size_t small_bytes = std::size_t{1} << 20U;
  constexpr std::size_t bytes_of_each = 12;  // the shortest description of a column takes twice as many
  const auto refuse = [](const char* what) { throw DataError("models/archive", what); };
  if (nested_too_deeply(text)) refuse("the header is malformed: it is nested too deeply");
  if (text.size() <= small_bytes) return;
  if (text.size() > most_bytes) refuse("the header is larger than 256 MiB");
  std::size_t opened = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quoted && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && (text[i] == '[' || text[i] == '{')) {
      ++opened;
    }
  }
  if (opened > text.size() / bytes_of_each) refuse("the header is malformed: it has too many lists");
}

}  // namespace nomu
