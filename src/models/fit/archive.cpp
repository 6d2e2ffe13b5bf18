#include "nomu/models/archive.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/crc64.hpp"
#include "models/fit/archive_header.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/file.hpp"
#include "nomu/core/private_file.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "models/archive";

// A byte that is not text, the name, and line endings, which a copy in text mode would change.
constexpr std::string_view magic("\x89NOMU\r\n\x1a", 8);
constexpr std::uint32_t major_version = 1;  ///< raised when older readers would misread
constexpr std::uint32_t minor_version =
    2;  ///< raised for additions: older readers ignore them, or refuse by the name of a missing block

/// The first bytes of a file, the same in every version.
struct Preamble {
  std::uint32_t major = major_version;
  std::uint32_t minor = minor_version;
  std::uint64_t header_bytes = 0;
};
static_assert(sizeof(Preamble) == 16 && std::endian::native == std::endian::little);

constexpr std::size_t checksum_at = magic.size() + sizeof(Preamble);
constexpr std::size_t header_at = checksum_at + sizeof(std::uint64_t);

template <class T>
std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}

template <class T>
T value_at(std::string_view bytes, std::size_t place) {
  T value{};
  std::memcpy(&value, bytes.data() + place, sizeof(T));
  return value;
}

/// Covers everything up to the end of the header except the checksum itself.
std::uint64_t head_checksum(std::string_view preamble, std::string_view header) {
  std::string head(preamble);
  head += header;
  return crc64(head);
}

/// A message without its "[place] ", to be embedded in another message.
std::string_view without_place(std::string_view message) {
  const auto end = message.find("] ");
  return end == std::string_view::npos ? message : message.substr(end + 2);
}

/// The header as text, verified against the preamble.
std::string_view checked_header(std::string_view bytes) {
  if (!bytes.starts_with(magic.substr(0, std::min(bytes.size(), magic.size()))) || bytes.empty()) {
    throw DataError(where, bytes.empty() ? "the file is empty" : "this is not a nomu model");
  }
  if (bytes.size() < header_at) throw DataError(where, "the file ends in its first bytes; it is truncated");
  const auto preamble = value_at<Preamble>(bytes, magic.size());
  if (preamble.header_bytes > bytes.size() - header_at) {
    throw DataError(where, "the file ends in its header; it is truncated or damaged");
  }
  const std::string_view header = bytes.substr(header_at, preamble.header_bytes);
  if (head_checksum(bytes.substr(0, checksum_at), header) != value_at<std::uint64_t>(bytes, checksum_at)) {
    throw DataError(where, "the header does not match its checksum; the file is damaged");
  }
  if (preamble.major > major_version) {
    throw DataError(where,
                    fmt::format("the file has format {}.{}, but this version of nomu reads up to {}; use a newer nomu",
                                preamble.major, preamble.minor, major_version));
  }
  return header;
}

}  // namespace

std::string pack_model(const Model& model) {
  const BlockWriter blocks = blocks_of(model);
  nlohmann::json header = header_of(model);
  header["blocks"] = blocks.list();
  const std::string text = header.dump();
  const std::string preamble = std::string(magic) + bytes_of(Preamble{.header_bytes = text.size()});
  return preamble + bytes_of(head_checksum(preamble, text)) + text + blocks.bytes();
}

namespace {

/// `network` is null for models that stand alone.
Model unpacked(std::string_view bytes, std::string_view source, std::shared_ptr<const ForeignNetwork> network,
               std::shared_ptr<Engine> engine) {
  if (!engine) engine = make_engine();
  try {
    const std::string_view text = checked_header(bytes);
    const nlohmann::json header = nlohmann::json::parse(text);
    const BlockReader blocks(header.at("blocks"), bytes.substr(header_at + text.size()));
    return model_from(header, blocks, std::move(network), std::move(engine));
  } catch (const nlohmann::json::exception& error) {
    throw DataError(where, fmt::format("{}: the header is malformed: {}", source, error.what()));
  } catch (const ConfigError& error) {
    throw DataError(where, fmt::format("{}: {}; was it written by a newer version of nomu?", source, error.what()));
  } catch (const DataError& error) {
    throw DataError(where, fmt::format("{}: {}", source, without_place(error.what())));
  }
}

}  // namespace

Model unpack_model(std::string_view bytes, std::string_view source, std::shared_ptr<Engine> engine) {
  return unpacked(bytes, source, {}, std::move(engine));
}

Model unpack_bounds(std::string_view bytes, std::string_view source, std::shared_ptr<const ForeignNetwork> network,
                    std::shared_ptr<Engine> engine) {
  if (network == nullptr) throw ConfigError(where, "reading bounds needs the network they belong to");
  return unpacked(bytes, source, std::move(network), std::move(engine));
}

Model load_bounds(const std::filesystem::path& path, std::shared_ptr<const ForeignNetwork> network,
                  std::shared_ptr<Engine> engine) {
  return unpack_bounds(read_file(path), path.string(), std::move(network), std::move(engine));
}

void save_model(const Model& model, const std::filesystem::path& path, const std::filesystem::path& rows) {
  write_file_like(path, pack_model(model), rows);
}

Model load_model(const std::filesystem::path& path, std::shared_ptr<Engine> engine) {
  return unpack_model(read_file(path), path.string(), std::move(engine));
}

std::string model_json(const Model& model) { return header_of(model).dump(2); }

}  // namespace nomu
