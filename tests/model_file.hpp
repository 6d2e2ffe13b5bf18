#pragma once
/// A model file taken apart, so that tests can change it and put it together again with checksums that fit.

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/crc64.hpp"
#include "core/text/json_numbers.hpp"

namespace nomu {

struct ModelFile {
  std::string preamble;             ///< magic, versions and the length of the header
  nlohmann::json header;            ///< with the list of blocks
  std::vector<std::string> blocks;  ///< the bytes of each, as far as there are any; what follows the last one is last

  /// Throws nlohmann::json::exception if the bytes have no header.
  explicit ModelFile(std::string_view bytes) {
    constexpr std::size_t header_at = length_at + 2 * sizeof(std::uint64_t);
    if (bytes.size() < header_at) throw nlohmann::json::other_error::create(501, "no preamble", nullptr);
    preamble = bytes.substr(0, length_at);
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data() + length_at, sizeof(length));
    length = std::min<std::uint64_t>(length, bytes.size() - header_at);
    header = nlohmann::json::parse(bytes.substr(header_at, length));
    std::string_view left = bytes.substr(header_at + length);
    for (const nlohmann::json& block : header.at("blocks")) {
      blocks.emplace_back(left.substr(0, size_of(block, left.size())));
      left.remove_prefix(blocks.back().size());
    }
    if (!left.empty()) blocks.emplace_back(left);
  }

  [[nodiscard]] std::string bytes() const {
    nlohmann::json mended = header;
    std::string numbers;
    for (const std::string& block : blocks) numbers += block;
    std::string_view left = numbers;
    for (nlohmann::json& block : mended.at("blocks")) {
      if (!block.is_object() || in_first(block)) continue;
      const std::string_view own = left.substr(0, size_of(block, left.size()));
      block["crc64"] = fmt::format("{:016x}", crc64(own));
      left.remove_prefix(own.size());
    }
    const std::string text = mended.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    std::string front = preamble + as_bytes(text.size());
    front += as_bytes(crc64(front + text));
    return front + text + numbers;
  }

  /// Bytes that the shape of a block takes, at most `limit`; none if they are with the first model of the file.
  static std::size_t size_of(const nlohmann::json& block, std::size_t limit) {
    if (in_first(block)) return 0;
    std::size_t size = block.value("type", "") == "f32" ? 4 : 8;
    for (const nlohmann::json& extent : block.at("shape")) {
      if (!extent.is_number_integer()) return limit;
      // Numbers that a test writes have a sign until they were read again.
      const std::size_t count = extent.is_number_unsigned() ? whole_number(extent) : extent.get<std::size_t>();
      if (count != 0 && size > limit / count) return limit;
      size *= count;
    }
    return std::min(size, limit);
  }

 private:
  static constexpr std::size_t length_at = 16;

  static bool in_first(const nlohmann::json& block) {
    return block.contains("in_first") && block.at("in_first") == true;
  }

  static std::string as_bytes(std::uint64_t value) { return {reinterpret_cast<const char*>(&value), sizeof(value)}; }
};

}  // namespace nomu
