// Any bytes are either a model, which survives being packed and read again and predicts, or a DataError that says what
// is wrong. Checksums are mended first, so that what lies behind them is reached too.

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/crc64.hpp"
#include "core/json_numbers.hpp"
#include "nomu/core/error.hpp"
#include "nomu/engine/engine.hpp"
#include "nomu/models/archive.hpp"
#include "refusal.hpp"

namespace {

constexpr std::size_t length_at = 16;    // of the header, behind the magic and the version
constexpr std::size_t checksum_at = 24;  // of all before it and the header
constexpr std::size_t header_at = 32;

const std::shared_ptr<nomu::Engine>& engine() {
  static const std::shared_ptr<nomu::Engine> one = nomu::make_engine({.device = "cpu", .threads = 1});
  return one;
}

template <class T>
void put(std::string& bytes, std::size_t place, T value) {
  std::memcpy(bytes.data() + place, &value, sizeof(T));
}

/// Bytes that the shape of a block takes, as far as there are any.
std::size_t size_of(const nlohmann::json& block, std::size_t limit) {
  std::size_t size = block.value("type", "") == "f32" ? 4 : 8;
  for (const std::size_t count : nomu::whole_numbers(block.at("shape"))) {
    if (count != 0 && size > limit / count) return limit;
    size *= count;
  }
  return std::min(size, limit);
}

/// The same file with right checksums, where it has the form of one.
std::string mended(std::string_view bytes) {
  if (bytes.size() < header_at) return std::string(bytes);
  std::size_t length = 0;
  std::memcpy(&length, bytes.data() + length_at, sizeof(length));
  length = std::min(length, bytes.size() - header_at);
  nlohmann::json header = nlohmann::json::parse(bytes.substr(header_at, length));
  std::string_view rest = bytes.substr(header_at + length);
  std::string_view left = rest;
  for (nlohmann::json& block : header.at("blocks")) {
    const std::size_t size = size_of(block, left.size());
    block["crc64"] = fmt::format("{:016x}", nomu::crc64(left.substr(0, size)));
    left.remove_prefix(size);
  }
  const std::string text = header.dump();
  std::string head(bytes.substr(0, header_at));
  put(head, length_at, text.size());
  put(head, checksum_at, nomu::crc64(head.substr(0, checksum_at) + text));
  return head + text + std::string(rest);
}

void read(std::string_view bytes) {
  const nomu::Model model = nomu::unpack_model(bytes, "fuzz", engine());
  const std::string packed = nomu::pack_model(model);
  if (nomu::pack_model(nomu::unpack_model(packed, "again", engine())) != packed) std::abort();
  const std::vector<double> row(model.data().cols(), 0.5);
  static_cast<void>(model.predict(row));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  std::string whole(text);
  try {
    whole = mended(text);
  } catch (const nlohmann::json::exception&) {
    whole = text;  // no header: the reader has to say so itself
  }
  return read_or_refuse(reinterpret_cast<const std::uint8_t*>(whole.data()), whole.size(), read);
}
