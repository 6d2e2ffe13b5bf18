#include "interchange/foreign/onnx_memory.hpp"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <onnx/onnx_pb.h>

#include <cstdint>
#include <map>

#include "nomu/core/error.hpp"

namespace nomu {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::io::CodedInputStream;
using Wire = google::protobuf::internal::WireFormatLite;

constexpr std::size_t small_file = std::size_t{64} << 20U;  // what any file may take
constexpr std::size_t growth = 8;                           // and for each byte of it
constexpr std::size_t object = 64;                          // a pointer, an allocation and a string without its text
constexpr int deepest = 100;                                // the parser gives up here

class Estimate {
 public:
  explicit Estimate(std::size_t room) : room_(room) {}

  /// Adds up what the fields up to the stream's limit take; false if the room is used up. What is not well formed is
  /// left to the parser, which stops there.
  bool fits(const Descriptor& type, CodedInputStream& in, int depth) {
    while (const std::uint32_t tag = in.ReadTag()) {
      const FieldDescriptor* field = type.FindFieldByNumber(Wire::GetTagFieldNumber(tag));
      if (Wire::GetTagWireType(tag) != Wire::WIRETYPE_LENGTH_DELIMITED) {
        if (!take(field == nullptr ? object : sizeof(std::uint64_t))) return false;
        if (!Wire::SkipField(&in, tag)) return true;
        continue;
      }
      std::uint32_t size = 0;
      if (!in.ReadVarint32(&size)) return true;
      if (field != nullptr && field->type() == FieldDescriptor::TYPE_MESSAGE) {
        if (depth == deepest) return true;
        if (!take(object + size_of(*field->message_type()))) return false;
        const CodedInputStream::Limit outer = in.PushLimit(static_cast<int>(size));
        if (!fits(*field->message_type(), in, depth + 1)) return false;
        if (in.BytesUntilLimit() != 0) return true;
        in.PopLimit(outer);
        continue;
      }
      if (!take(object + size * width(field)) || !in.Skip(static_cast<int>(size))) return room_ > 0;
    }
    return true;
  }

 private:
  bool take(std::size_t bytes) {
    room_ = bytes < room_ ? room_ - bytes : 0;
    return room_ > 0;
  }

  /// Bytes in memory for one byte of a list of numbers, or of a text.
  static std::size_t width(const FieldDescriptor* field) {
    if (field == nullptr || !field->is_packable()) return 1;
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_FLOAT:
      case FieldDescriptor::CPPTYPE_DOUBLE: return 1;
      case FieldDescriptor::CPPTYPE_INT64:
      case FieldDescriptor::CPPTYPE_UINT64: return sizeof(std::int64_t);
      default: return sizeof(std::int32_t);
    }
  }

  std::size_t size_of(const Descriptor& type) {
    std::size_t& size = sizes_[&type];
    if (size == 0) size = google::protobuf::MessageFactory::generated_factory()->GetPrototype(&type)->SpaceUsedLong();
    return size;
  }

  std::size_t room_;
  std::map<const Descriptor*, std::size_t> sizes_;
};

}  // namespace

void require_modest(std::string_view bytes) {
  CodedInputStream in(reinterpret_cast<const std::uint8_t*>(bytes.data()), static_cast<int>(bytes.size()));
  Estimate estimate(small_file + growth * bytes.size());
  if (!estimate.fits(*onnx::ModelProto::descriptor(), in, 0))
    throw DataError(
        "interchange/onnx",
        fmt::format("this is not a network: {} bytes describe objects that would take more than {} times as much "
                    "memory",
                    bytes.size(), growth));
}

}  // namespace nomu
