#include "interchange/foreign/onnx_external.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <onnx/onnx_pb.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <limits>
#include <map>
#include <memory>
#include <system_error>

#include "interchange/foreign/onnx_memory.hpp"
#include "interchange/onnx_file.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "interchange/onnx";

/// A file of numbers, opened once. It must be a file itself: a link could point to anything on this machine.
class NumbersFile {
 public:
  NumbersFile(const std::filesystem::path& folder, const std::string& name)
      : name_(name), fd_(::open((folder / name).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)) {
    if (fd_ < 0 && errno == ELOOP) refuse("it is a link; put the file itself next to the network");
    if (fd_ < 0)
      refuse(fmt::format("{}; it must be in the folder of the network", std::generic_category().message(errno)));
    struct stat facts = {};
    if (::fstat(fd_, &facts) != 0 || !S_ISREG(facts.st_mode)) {
      ::close(fd_);
      refuse("it is not a file");
    }
    size_ = left_ = static_cast<std::size_t>(facts.st_size);
  }
  NumbersFile(const NumbersFile&) = delete;
  NumbersFile& operator=(const NumbersFile&) = delete;
  NumbersFile(NumbersFile&&) = delete;
  NumbersFile& operator=(NumbersFile&&) = delete;
  ~NumbersFile() { ::close(fd_); }

  [[nodiscard]] std::size_t size() const { return size_; }

  /// All constants together can have no more bytes than the file, so that a small file cannot fill the memory.
  std::string read(std::size_t offset, std::size_t length) {
    if (offset > size_ || length > size_ - offset)
      refuse(fmt::format("bytes {} to {} are beyond its {} bytes; is it the file of another network?", offset,
                         offset + length, size_));
    if (length > left_) refuse("several constants refer to the same bytes; save the network as one file");
    left_ -= length;
    std::string bytes(length, '\0');
    for (std::size_t done = 0; done < length;) {
      const ssize_t got = ::pread(fd_, bytes.data() + done, length - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) refuse(got == 0 ? "it has become shorter" : std::generic_category().message(errno));
      done += static_cast<std::size_t>(got);
    }
    return bytes;
  }

 private:
  [[noreturn]] void refuse(std::string_view what) const {
    throw DataError(where, fmt::format("its weights are in '{}', which cannot be read: {}", name_, what));
  }

  std::string name_;
  int fd_;
  std::size_t size_ = 0;
  std::size_t left_ = 0;
};

/// Bytes of a number of this type; 0 for types that no network of nomu has.
std::size_t width_of(int type) {
  switch (type) {
    case onnx::TensorProto::FLOAT:
    case onnx::TensorProto::INT32: return 4;
    case onnx::TensorProto::INT64:
    case onnx::TensorProto::DOUBLE: return 8;
    case onnx::TensorProto::FLOAT16:
    case onnx::TensorProto::BFLOAT16: return 2;
    case onnx::TensorProto::BOOL:
    case onnx::TensorProto::INT8:
    case onnx::TensorProto::UINT8: return 1;
    default: return 0;
  }
}

class Reader {
 public:
  explicit Reader(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Also the branches that no output needs: the network is kept whole.
  void fill(onnx::ModelProto& model) {
    fill(*model.mutable_graph());
    for (onnx::FunctionProto& function : *model.mutable_functions()) {
      for (onnx::NodeProto& node : *function.mutable_node()) fill(node);
    }
  }

  [[nodiscard]] bool any() const { return !files_.empty(); }

  [[nodiscard]] std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> paths;
    for (const auto& [name, file] : files_) paths.push_back(folder_ / name);
    return paths;
  }

 private:
  // Graphs in graphs: parsing has limited how deep.
  void fill(onnx::GraphProto& graph) {
    for (onnx::TensorProto& tensor : *graph.mutable_initializer()) fill(tensor);
    for (onnx::SparseTensorProto& tensor : *graph.mutable_sparse_initializer()) fill(tensor);
    for (onnx::NodeProto& node : *graph.mutable_node()) fill(node);
  }

  void fill(onnx::NodeProto& node) {
    for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
      if (attribute.has_t()) fill(*attribute.mutable_t());
      if (attribute.has_sparse_tensor()) fill(*attribute.mutable_sparse_tensor());
      if (attribute.has_g()) fill(*attribute.mutable_g());
      for (onnx::TensorProto& tensor : *attribute.mutable_tensors()) fill(tensor);
      for (onnx::SparseTensorProto& tensor : *attribute.mutable_sparse_tensors()) fill(tensor);
      for (onnx::GraphProto& graph : *attribute.mutable_graphs()) fill(graph);
    }
  }

  void fill(onnx::SparseTensorProto& tensor) {
    if (tensor.has_values()) fill(*tensor.mutable_values());
    if (tensor.has_indices()) fill(*tensor.mutable_indices());
  }

  void fill(onnx::TensorProto& tensor) {
    if (tensor.data_location() != onnx::TensorProto::EXTERNAL) return;
    const std::string name = text(tensor, "location");
    if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos ||
        name.find('\0') != std::string::npos)
      refuse(
          tensor,
          fmt::format("its numbers should be in '{}', but they are only read from files in the folder of the network",
                      name));
    const std::size_t offset = number(tensor, "offset").value_or(0);
    const std::size_t expected = bytes_of(tensor);
    if (const std::optional<std::size_t> length = number(tensor, "length"); length && *length != expected)
      refuse(tensor, fmt::format("it has {} bytes in '{}', but its shape needs {}", *length, name, expected));
    auto& file = files_[name];
    if (file == nullptr) file = std::make_unique<NumbersFile>(folder_, name);
    if ((total_ += expected) > most_network_bytes) refuse(tensor, "the network is larger than 1 GB");
    tensor.set_raw_data(file->read(offset, expected));
    tensor.clear_external_data();
    tensor.clear_data_location();
  }

  [[noreturn]] static void refuse(const onnx::TensorProto& tensor, std::string_view what) {
    throw DataError(where, fmt::format("constant '{}': {}", tensor.name(), what));
  }

  static std::string text(const onnx::TensorProto& tensor, std::string_view key) {
    for (const onnx::StringStringEntryProto& entry : tensor.external_data()) {
      if (entry.key() == key) return entry.value();
    }
    return {};
  }

  static std::optional<std::size_t> number(const onnx::TensorProto& tensor, std::string_view key) {
    const std::string given = text(tensor, key);
    if (given.empty()) return {};
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), value);
    if (error != std::errc() || end != given.data() + given.size() ||
        value > static_cast<std::uint64_t>(std::numeric_limits<off_t>::max()))
      refuse(tensor, fmt::format("its {} '{}' is not a number of bytes", key, given));
    return value;
  }

  static std::size_t bytes_of(const onnx::TensorProto& tensor) {
    std::size_t bytes = width_of(tensor.data_type());
    if (bytes == 0) refuse(tensor, "its type is not float32, int32, int64 or bool; export the network in float32");
    for (const std::int64_t extent : tensor.dims()) {
      if (extent < 0 || (extent > 0 && bytes > most_network_bytes / static_cast<std::size_t>(extent)))
        refuse(tensor, "its shape has more than 1 GB");
      bytes *= static_cast<std::size_t>(extent);
    }
    return bytes;
  }

  std::filesystem::path folder_;
  std::map<std::string, std::unique_ptr<NumbersFile>> files_;
  std::size_t total_ = 0;
};

}  // namespace

WholeNetwork with_external_data(std::string bytes, const std::filesystem::path& folder) {
  // Every such constant has this key; without it there is nothing to parse.
  if (bytes.find("location") == std::string::npos || bytes.size() > most_network_bytes)
    return {.bytes = std::move(bytes)};
  require_modest(bytes);
  onnx::ModelProto model;
  if (!model.ParseFromString(bytes)) return {.bytes = std::move(bytes)};  // refused with a better message later
  Reader reader(folder);
  reader.fill(model);
  if (!reader.any()) return {.bytes = std::move(bytes)};
  return {.bytes = onnx_bytes(model), .weights = reader.files()};
}

}  // namespace nomu
