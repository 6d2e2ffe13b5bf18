// Any bytes are either a table, which survives being written and read again, or a DataError or ConfigError that says
// what is wrong: never a crash, a hang or another exception.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "nomu/data/dataset.hpp"
#include "nomu/data/table_io.hpp"
#include "refusal.hpp"

namespace {

void read(std::string_view text) {
  const nomu::Table table = nomu::parse_table(text, "fuzz");
  const nomu::Table again = nomu::parse_table(nomu::format_table(table), "again", {.delimiter = ','});
  if (again.names() != table.names() || again.rows() != table.rows()) std::abort();
  for (std::size_t j = 0; j < table.columns().size(); ++j) {
    if (again.columns()[j].cells() != table.columns()[j].cells()) std::abort();
  }
  if (table.columns().empty()) return;
  static_cast<void>(nomu::make_dataset(table, {.target = table.columns().back().name(), .drop_missing = true}));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  return read_or_refuse(bytes, size, read);
}
