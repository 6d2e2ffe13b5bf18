#include "nomu/models/archive.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/crc64.hpp"
#include "core/text/json_numbers.hpp"
#include "core/text/json_text.hpp"
#include "models/archive/archive_calibration.hpp"
#include "models/archive/archive_header.hpp"
#include "models/archive/archive_text.hpp"
#include "models/network/fitted_network.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/file.hpp"
#include "nomu/core/private_file.hpp"
#include "nomu/models/targets.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "models/archive";

constexpr std::string_view magic = model_file_begin;
constexpr std::uint32_t major_version = 1;  ///< raised when older readers would misread
/// Of files that hold the files of several models, one for each target. Those of 2 repeat what all models hold, such as
/// the rows; later ones keep it with the first model.
constexpr std::uint32_t first_targets_major_version = 2;
constexpr std::uint32_t targets_major_version = 3;
/// Of one model that is wider at names training did not have or beyond the range of its rows, which older readers would
/// leave out without a word.
constexpr std::uint32_t widened_major_version = 4;
constexpr std::uint32_t newest_major_version = widened_major_version;
/// Raised for additions: older readers ignore them, or refuse by the name of a missing block. Files without the
/// additions of 1.3, coverage by a column, and of 1.4, the groups of held-out rows, are of 1.2.
constexpr std::uint32_t minor_version = 2;
constexpr std::uint32_t strata_minor_version = 3;
constexpr std::uint32_t units_minor_version = 4;

std::uint32_t major_for(const Model& model) {
  const FittedState state = model.fitted().state();
  return state.has(unknown_names_block) || state.has(beyond_block) ? widened_major_version : major_version;
}

std::uint32_t minor_for(const Model& model) {
  if (!model.held_out().units.empty()) return units_minor_version;
  return model.calibration().strata.empty() ? minor_version : strata_minor_version;
}

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

/// A preamble and a header with their checksum.
std::string head_of(std::uint32_t major, std::uint32_t minor, const std::string& header) {
  const std::string preamble =
      std::string(magic) + bytes_of(Preamble{.major = major, .minor = minor, .header_bytes = header.size()});
  return preamble + bytes_of(head_checksum(preamble, header)) + header;
}

[[noreturn]] void refuse_newer(const Preamble& preamble) {
  throw DataError(where,
                  fmt::format("the file has format {}.{}, but this version of nomu reads up to {}; use a newer nomu",
                              preamble.major, preamble.minor, newest_major_version));
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
  if (preamble.major > newest_major_version) refuse_newer(preamble);
  return header;
}

/// The header as it is written. JSON holds UTF-8 alone; fits refuse other text beforehand, parts from elsewhere may
/// not.
std::string text_of(const nlohmann::json& header, int indent = -1) {
  try {
    return header.dump(indent);
  } catch (const nlohmann::json::exception& error) {
    throw DataError(where, fmt::format("a text of the model cannot be written: {}", reason_of(error)));
  }
}

std::string packed(const Model& model, const BlockWriter& blocks) {
  nlohmann::json header = header_of(model);
  header["blocks"] = blocks.list();
  const std::string text = text_of(header);
  return head_of(major_for(model), minor_for(model), text) + blocks.bytes();
}

std::vector<std::string> target_names(const nlohmann::json& header) {
  std::vector<std::string> names;
  for (const nlohmann::json& target : header.at("targets")) names.push_back(target.at("name"));
  return names;
}

/// What `read` makes of the header and the bytes after it; its errors name the file.
template <class F>
auto read_from(std::string_view bytes, std::string_view source, const F& read) {
  try {
    const std::string_view text = checked_header(bytes);
    check_header_text(text, bytes.size());
    return read(nlohmann::json::parse(text), bytes.substr(header_at + text.size()));
  } catch (const nlohmann::json::exception& error) {
    throw DataError(where, fmt::format("{}: the header is malformed: {}", source, reason_of(error)));
  } catch (const ConfigError& error) {
    throw DataError(where, fmt::format("{}: {}; was it written by a newer version of nomu?", source, error.what()));
  } catch (const DataError& error) {
    throw DataError(where, fmt::format("{}: {}", source, error.message()));
  }
}

/// What the models of a file have in common: the blocks of the first one, which the first one read fills in, and the
/// bytes that the others may still take from it.
struct Shared {
  std::optional<BlockReader> first = {};
  std::size_t room = 0;
};

/// `network` is null for models that need none.
Model unpacked(std::string_view bytes, std::string_view source, std::shared_ptr<const ForeignNetwork> network,
               std::shared_ptr<Engine> engine, Shared& shared) {
  if (!engine) engine = make_engine();
  return read_from(bytes, source, [&](const nlohmann::json& header, std::string_view numbers) {
    if (header.contains("targets")) {
      throw DataError(where, fmt::format("the file holds models of several targets ({}); choose one of them (--target "
                                         "on the command line), or read all (load_targets)",
                                         fmt::join(target_names(header), ", ")));
    }
    const auto preamble = value_at<Preamble>(bytes, magic.size());
    if (preamble.major != major_version && preamble.major != widened_major_version) refuse_newer(preamble);
    const BlockReader blocks(header.at("blocks"), numbers, shared.first ? &*shared.first : nullptr);
    if (blocks.shared_bytes() > shared.room)
      throw DataError(where, "the models of this file would take far more memory than the file has bytes");
    shared.room -= blocks.shared_bytes();
    Model model = model_from(header, blocks, network, engine);
    if (!shared.first) shared.first = blocks;
    return model;
  });
}

Model unpacked(std::string_view bytes, std::string_view source, std::shared_ptr<const ForeignNetwork> network,
               std::shared_ptr<Engine> engine) {
  Shared only;
  return unpacked(bytes, source, std::move(network), std::move(engine), only);
}

}  // namespace

std::string pack_model(const Model& model) { return packed(model, blocks_of(model)); }

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
  return unpack_bounds(read_file(path, magic), path.string(), std::move(network), std::move(engine));
}

void save_model(const Model& model, const std::filesystem::path& path, const std::vector<std::filesystem::path>& rows) {
  write_file_like(path, pack_model(model), rows);
}

Model load_model(const std::filesystem::path& path, std::shared_ptr<Engine> engine) {
  return unpack_model(read_file(path, magic), path.string(), std::move(engine));
}

std::string pack_targets(const TargetModels& models) {
  BlockWriter blocks;
  add_calibration(models.joint(), blocks);
  nlohmann::json header{
      {"format", "nomu models of several targets"}, {"library", models.models().front().parts().version},
      {"joint", calibration_facts(models.joint())}, {"blocks", blocks.list()},
      {"block_bytes", blocks.bytes().size()},       {"targets", nlohmann::json::array()}};
  std::string files;
  std::size_t shared = 0;
  const BlockWriter first = blocks_of(models.models().front());
  for (const Model& model : models.models()) {
    BlockWriter own = files.empty() ? first : blocks_of(model);
    // What a reader would refuse is repeated instead.
    if (!files.empty()) shared += own.leave_out_blocks_of(first, most_shared_bytes(files.size()) - shared);
    const std::string file = packed(model, own);
    header["targets"].push_back({{"name", model.data().target_name}, {"bytes", file.size()}});
    files += file;
  }
  return head_of(targets_major_version, 0, text_of(header)) + blocks.bytes() + files;
}

TargetModels unpack_targets(std::string_view bytes, std::string_view source, std::shared_ptr<Engine> engine) {
  if (!engine) engine = make_engine();
  return read_from(bytes, source, [&](const nlohmann::json& header, std::string_view rest) {
    if (!header.contains("targets")) throw DataError(where, "the file holds a model of one target; use load_model");
    const auto take = [&](std::size_t size) {
      if (size > rest.size()) throw DataError(where, "the file ends in a model; it is truncated");
      const std::string_view part = rest.substr(0, size);
      rest.remove_prefix(size);
      return part;
    };
    const BlockReader blocks(header.at("blocks"), take(whole_number(header.at("block_bytes"))));
    std::vector<Model> models;
    Shared shared{.room = most_shared_bytes(bytes.size())};
    for (const nlohmann::json& target : header.at("targets")) {
      models.push_back(
          unpacked(take(whole_number(target.at("bytes"))), target.at("name").get<std::string>(), {}, engine, shared));
    }
    if (!rest.empty()) throw DataError(where, fmt::format("{} bytes follow the last model", rest.size()));
    return TargetModels(std::move(models), read_calibration(header.at("joint"), blocks));
  });
}

void save_targets(const TargetModels& models, const std::filesystem::path& path,
                  const std::vector<std::filesystem::path>& rows) {
  write_file_like(path, pack_targets(models), rows);
}

TargetModels load_targets(const std::filesystem::path& path, std::shared_ptr<Engine> engine) {
  return unpack_targets(read_file(path, magic), path.string(), std::move(engine));
}

bool holds_targets(std::string_view bytes) {
  if (bytes.size() < header_at || !bytes.starts_with(magic)) return false;
  const std::uint32_t major = value_at<Preamble>(bytes, magic.size()).major;
  return first_targets_major_version <= major && major <= targets_major_version;
}

std::string model_json(const Model& model) { return text_of(header_of(model), 2); }

}  // namespace nomu
