// Any bytes are either settings within their ranges or a ConfigError that says what is wrong, and settings that were
// accepted can be written as text and set again.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "nomu/core/config.hpp"
#include "nomu/core/error.hpp"
#include "nomu/models/nomu.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  nomu::NomuSpec spec;
  const nomu::Fields fields = fields_of(spec);
  try {
    nomu::apply_toml(fields, {reinterpret_cast<const char*>(bytes), size}, "fuzz");
  } catch (const nomu::ConfigError& error) {
    if (std::string_view(error.what()).size() < 10) std::abort();
    return 0;
  }
  nomu::NomuSpec copy;
  const nomu::Fields copied = fields_of(copy);
  for (const nomu::Field& field : fields.list()) copied.set_text(field.name, nomu::to_text(field.get()));
  if (!copied.differences(fields).empty()) std::abort();
  return 0;
}
