#include "models/archive/archive_blocks.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/crc64.hpp"
#include "core/text/json_numbers.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

static_assert(std::endian::native == std::endian::little, "archives are little-endian; swap bytes here");
static_assert(sizeof(std::size_t) == 8);

constexpr const char* float_type = "f32";
constexpr const char* double_type = "f64";
constexpr const char* count_type = "u64";

[[noreturn]] void refuse(const std::string& what) { throw DataError("models/archive", what); }

std::size_t width_of(const std::string& type) {
  if (type == float_type) return 4;
  if (type == double_type || type == count_type) return 8;
  refuse(fmt::format("unknown number type '{}'", type));
}

/// Bytes that a shape occupies; refuses more than `limit`.
std::size_t size_of(const std::array<std::size_t, 3>& shape, std::size_t width, std::size_t limit) {
  std::size_t size = width;
  for (const std::size_t extent : shape) {
    if (extent != 0 && size > limit / extent) refuse("a block is larger than the file");
    size *= extent;
  }
  return size;
}

}  // namespace

template <class T>
void BlockWriter::append(const std::string& name, const char* type, std::array<std::size_t, 3> shape,
                         std::span<const T> values) {
  const std::size_t before = bytes_.size();
  bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  const std::string_view block = std::string_view(bytes_).substr(before);
  entries_.push_back({name, type, shape, block.size(), crc64(block)});
}

void BlockWriter::add(const std::string& name, const Tensor<float>& values) {
  append(name, float_type, {values.members(), values.rows(), values.cols()}, values.flat());
}

void BlockWriter::add(const std::string& name, std::span<const float> values) {
  append(name, float_type, {1, values.size(), 1}, values);
}

void BlockWriter::add(const std::string& name, std::span<const double> values) {
  if (!values.empty()) append(name, double_type, {1, values.size(), 1}, values);
}

void BlockWriter::add(const std::string& name, std::span<const std::size_t> values) {
  if (!values.empty()) append(name, count_type, {1, values.size(), 1}, values);
}

std::size_t BlockWriter::leave_out_blocks_of(const BlockWriter& first, std::size_t room) {
  std::map<std::string_view, std::pair<const Entry*, std::string_view>> known;
  std::string_view rest = first.bytes_;
  for (const Entry& entry : first.entries_) {
    known.emplace(entry.name, std::pair(&entry, rest.substr(0, entry.bytes)));
    rest.remove_prefix(entry.bytes);
  }
  std::string kept;
  const std::size_t before = bytes_.size();
  rest = bytes_;
  for (Entry& entry : entries_) {
    const std::string_view own = rest.substr(0, entry.bytes);
    rest.remove_prefix(entry.bytes);
    const auto found = known.find(entry.name);
    entry.in_first = found != known.end() && found->second.second == own && found->second.first->shape == entry.shape &&
                     std::string_view(found->second.first->type) == entry.type && own.size() <= room;
    if (entry.in_first) {
      room -= own.size();
    } else {
      kept += own;
    }
  }
  bytes_ = std::move(kept);
  return before - bytes_.size();
}

nlohmann::json BlockWriter::list() const {
  nlohmann::json list = nlohmann::json::array();
  for (const Entry& entry : entries_) {
    list.push_back({{"name", entry.name},
                    {"type", entry.type},
                    {"shape", entry.shape},
                    {"crc64", fmt::format("{:016x}", entry.checksum)}});
    if (entry.in_first) list.back()["in_first"] = true;
  }
  return list;
}

BlockReader::Entry BlockReader::same_as(const std::string& name, const Entry& wanted) const {
  const auto found = entries_.find(name);
  if (found == entries_.end() || found->second.type != wanted.type || found->second.shape != wanted.shape)
    refuse(fmt::format("block '{}' should be that of the first model, which has none like it", name));
  return found->second;
}

BlockReader::BlockReader(const nlohmann::json& list, std::string_view bytes, const BlockReader* first) {
  for (const nlohmann::json& item : list) {
    const auto name = item.at("name").get<std::string>();
    Entry entry{.type = item.at("type").get<std::string>(), .shape = {}, .bytes = {}};
    for (std::size_t k = 0; k < entry.shape.size(); ++k) entry.shape[k] = whole_number(item.at("shape").at(k));
    if (item.value("in_first", false)) {
      if (first == nullptr) refuse(fmt::format("block '{}' is in another model, which is not there", name));
      entry = first->same_as(name, entry);
      shared_bytes_ += entry.bytes.size();
      entries_.emplace(name, entry);
      continue;
    }
    const std::size_t size = size_of(entry.shape, width_of(entry.type), bytes.size());
    if (size > bytes.size()) refuse(fmt::format("the file ends in block '{}'; it is truncated", name));
    entry.bytes = bytes.substr(0, size);
    bytes.remove_prefix(size);
    if (fmt::format("{:016x}", crc64(entry.bytes)) != item.at("crc64").get<std::string>()) {
      refuse(fmt::format("block '{}' does not match its checksum; the file is damaged", name));
    }
    entries_.emplace(name, entry);
  }
  if (!bytes.empty()) refuse(fmt::format("{} bytes follow the last block; the file is damaged", bytes.size()));
}

template <class T>
std::vector<T> BlockReader::read(const std::string& name, std::string_view type, const Entry& entry) {
  if (entry.type != type) refuse(fmt::format("block '{}' contains {}, expected {}", name, entry.type, type));
  std::vector<T> values(entry.bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), entry.bytes.data(), entry.bytes.size());
  return values;
}

template <class T>
std::vector<T> BlockReader::list(const std::string& name, std::string_view type) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) return {};
  const std::array<std::size_t, 3>& shape = found->second.shape;
  if (shape[0] != 1 || shape[2] != 1)
    refuse(fmt::format("block '{}' has shape [{}][{}][{}] where a list [1][n][1] is expected", name, shape[0], shape[1],
                       shape[2]));
  return read<T>(name, type, found->second);
}

Tensor<float> BlockReader::tensor(const std::string& name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) refuse(fmt::format("there is no block '{}'", name));
  const std::vector<float> numbers = read<float>(name, float_type, found->second);
  const std::array<std::size_t, 3>& shape = found->second.shape;
  Tensor<float> tensor(shape[0], shape[1], shape[2]);
  std::copy(numbers.begin(), numbers.end(), tensor.flat().begin());
  return tensor;
}

std::vector<float> BlockReader::floats(const std::string& name) const { return list<float>(name, float_type); }
std::vector<double> BlockReader::doubles(const std::string& name) const { return list<double>(name, double_type); }
std::vector<std::size_t> BlockReader::counts(const std::string& name) const {
  return list<std::size_t>(name, count_type);
}

}  // namespace nomu
