#include "interchange/foreign/wire_fields.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace nomu {
namespace {

/// Reads a number of seven bits a byte; empty at the end of the bytes.
std::optional<std::uint64_t> read_number(std::string_view& bytes) {
  std::uint64_t number = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    number |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if ((byte & 0x80U) == 0) return number;
  }
  return {};
}

/// Messages of ONNX that hold others. What is in types of values is counted whatever it is; tensors hold numbers.
enum class Message { model, graph, node, attribute, value, type, none };

Message inside(Message outer, std::uint64_t field) {
  switch (outer) {
    case Message::model: return field == 7 ? Message::graph : Message::none;
    case Message::graph:
      if (field == 1) return Message::node;
      return field >= 11 && field <= 13 ? Message::value : Message::none;
    case Message::node: return field == 5 ? Message::attribute : Message::none;
    case Message::attribute: return field == 6 || field == 11 ? Message::graph : Message::none;
    case Message::value: return field == 2 ? Message::type : Message::none;
    case Message::type: return Message::type;
    case Message::none: break;
  }
  return Message::none;
}

struct Field {
  std::uint64_t number = 0;
  std::optional<std::string_view> content;  ///< of a string or message
};

/// The next field; empty at the end of the bytes and where they are no field.
std::optional<Field> read_field(std::string_view& bytes) {
  const auto tag = read_number(bytes);
  if (!tag) return {};
  Field field{.number = *tag >> 3U, .content = {}};
  std::uint64_t size = 0;
  switch (*tag & 7U) {
    case 0: return read_number(bytes) ? std::optional(field) : std::nullopt;
    case 1: size = 8; break;
    case 5: size = 4; break;
    case 2: size = read_number(bytes).value_or(bytes.size() + 1); break;
    default: return {};
  }
  if (size > bytes.size()) return {};
  if ((*tag & 7U) == 2) field.content = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return field;
}

}  // namespace

std::size_t wire_fields(std::string_view bytes, std::size_t most) {
  struct Part {
    std::string_view bytes;
    Message kind;
  };
  std::size_t count = 0;
  std::vector<Part> left{{bytes, Message::model}};
  while (!left.empty() && count <= most) {
    Part part = left.back();
    left.pop_back();
    while (count <= most) {
      const std::optional<Field> field = read_field(part.bytes);
      if (!field) break;
      if (!field->content) continue;
      ++count;
      const Message kind = inside(part.kind, field->number);
      if (kind != Message::none && !field->content->empty()) left.push_back({*field->content, kind});
    }
  }
  return count;
}

}  // namespace nomu
