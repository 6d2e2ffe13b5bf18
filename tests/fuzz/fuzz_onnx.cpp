// Any bytes are either a network, which gives the same answer for the same rows, or a DataError that says what is
// wrong. What a file may ask for is bounded well below a second and a few megabytes.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "interchange/foreign/onnx_program.hpp"
#include "refusal.hpp"

namespace {

void read(std::string_view bytes) {
  const nomu::OnnxProgram program(bytes, {.numbers = std::size_t{1} << 20U, .work = 1e7});
  if (program.row_size() > 4096) return;
  const std::string hidden = program.features();
  const std::vector<float> rows(2 * program.row_size(), 0.5F);
  const auto first = program.run(rows, 2, hidden);
  const auto second = program.run(rows, 2, hidden);
  const auto differ = [](const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() != b.size() || (!a.empty() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) != 0);
  };
  if (differ(first.value.floats, second.value.floats) || differ(first.output.floats, second.output.floats))
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  return read_or_refuse(bytes, size, read);
}
