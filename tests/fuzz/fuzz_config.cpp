// Any bytes are either the space of a study or an error. And they are either settings within their ranges or a
// ConfigError that says what is wrong, and settings that were accepted can be written as text and set again.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "nomu/bo/study.hpp"
#include "nomu/core/config.hpp"
#include "nomu/core/error.hpp"
#include "nomu/models/method.hpp"
#include "nomu/models/nomu.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  try {
    (void)nomu::parse_study_file(text, "fuzz");
  } catch (const nomu::Error& error) {
    if (std::string_view(error.what()).size() < 10) std::abort();
  }
  nomu::NomuSpec spec;
  const nomu::Fields fields = fields_of(spec);
  try {
    nomu::apply_toml(fields, text, "fuzz");
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
