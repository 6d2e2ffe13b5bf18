#pragma once
// The numbers of an archive: named little-endian blocks of one type each, stored consecutively and listed in the header
// with shape and checksum.

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nomu/core/tensor.hpp"

namespace nomu {

/// Collects blocks and their list.
class BlockWriter {
 public:
  void add(const std::string& name, const Tensor<float>& values);
  void add(const std::string& name, std::span<const float> values);
  /// Empty lists are not written: a missing block is empty.
  void add(const std::string& name, std::span<const double> values);
  void add(const std::string& name, std::span<const std::size_t> values);

  /// Drops the bytes of blocks that `first` holds as well, `room` of them at most; the list then says that they are
  /// there. Returns how many were dropped.
  std::size_t leave_out_blocks_of(const BlockWriter& first, std::size_t room);

  [[nodiscard]] nlohmann::json list() const;
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  struct Entry {
    std::string name;
    const char* type;
    std::array<std::size_t, 3> shape;
    std::size_t bytes;
    std::uint64_t checksum;
    bool in_first = false;  ///< its bytes are among those of the first model of the file
  };
  template <class T>
  void append(const std::string& name, const char* type, std::array<std::size_t, 3> shape, std::span<const T> values);

  std::vector<Entry> entries_;
  std::string bytes_;
};

/// Most bytes that all models of a file together may take from the first one: a reader copies them for each, so that a
/// small file could take any memory otherwise.
[[nodiscard]] constexpr std::size_t most_shared_bytes(std::size_t file_bytes) {
  constexpr std::size_t always = std::size_t{256} << 20U;
  return std::max(always, 64 * file_bytes);
}

/// Looks blocks up. Sizes are checked against the available bytes before anything is allocated.
class BlockReader {
 public:
  /// Blocks that the list says to be in the first model of the file are taken from `first`. Throws DataError if the
  /// others do not fill the bytes exactly or a checksum does not match.
  BlockReader(const nlohmann::json& list, std::string_view bytes, const BlockReader* first = nullptr);

  /// Bytes of the blocks that were taken from `first`.
  [[nodiscard]] std::size_t shared_bytes() const { return shared_bytes_; }

  /// A block with its shape, for a caller who checks it. Throws DataError where there is none.
  [[nodiscard]] Tensor<float> tensor(const std::string& name) const;
  /// Lists [1][n][1]; empty where there is no such block. Throws DataError for another type or shape.
  [[nodiscard]] std::vector<float> floats(const std::string& name) const;
  [[nodiscard]] std::vector<double> doubles(const std::string& name) const;
  [[nodiscard]] std::vector<std::size_t> counts(const std::string& name) const;

 private:
  struct Entry {
    std::string type;
    std::array<std::size_t, 3> shape{};
    std::string_view bytes;
  };
  /// The block of the same name and shape.
  [[nodiscard]] Entry same_as(const std::string& name, const Entry& wanted) const;
  template <class T>
  [[nodiscard]] static std::vector<T> read(const std::string& name, std::string_view type, const Entry& entry);
  template <class T>
  [[nodiscard]] std::vector<T> list(const std::string& name, std::string_view type) const;

  std::map<std::string, Entry> entries_;
  std::size_t shared_bytes_ = 0;
};

}  // namespace nomu
