#include "interchange/foreign/onnx_node.hpp"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cstring>

#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "interchange/onnx";

constexpr std::size_t most_axes = 16;

/// Counts the elements of a shape; returns what is wrong with it, or an empty text.
std::string count(const OnnxArray::Shape& shape, std::size_t limit, std::size_t& elements) {
  elements = 1;
  if (shape.size() > most_axes) return fmt::format("{} axes; at most {} are supported", shape.size(), most_axes);
  for (const std::int64_t extent : shape) {
    if (extent < 0) return fmt::format("the shape {} has a negative length", shape_text(shape));
    const auto length = static_cast<std::size_t>(extent);
    if (length > limit || (length != 0 && elements > limit / length))
      return fmt::format("the shape {} has more than {} numbers", shape_text(shape), limit);
    elements *= length;
  }
  return {};
}

template <class To, class From>
void read_raw(const std::string& bytes, std::vector<To>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    From value;
    std::memcpy(&value, bytes.data() + i * sizeof(From), sizeof(From));
    values[i] = static_cast<To>(value);
  }
}

template <class To, class Field>
void read_field(const Field& field, std::vector<To>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<To>(field[static_cast<int>(i)]);
}

}  // namespace

std::string shape_text(const OnnxArray::Shape& shape) {
  std::string text;
  for (const std::int64_t extent : shape) text += fmt::format("[{}]", extent);
  return text.empty() ? "[]" : text;
}

std::string OnnxNode::title(const onnx::NodeProto& proto) {
  const std::string& name = !proto.name().empty() || proto.output_size() == 0 ? proto.name() : proto.output(0);
  return fmt::format("node '{}' ({}{}{})", name, proto.domain(), proto.domain().empty() ? "" : ".", proto.op_type());
}

void OnnxNode::refuse(std::string_view what) const {
  throw DataError(where, fmt::format("{}: {}", title(proto_), what));
}

const OnnxArray& OnnxNode::any(std::size_t i) const {
  if (!has(i)) refuse(fmt::format("input {} is missing", i + 1));
  return *inputs_[i].array;
}

const OnnxArray& OnnxNode::floats(std::size_t i) const {
  const OnnxArray& array = any(i);
  if (array.integral) refuse(fmt::format("input {} must be float32, but it holds integers", i + 1));
  return array;
}

const OnnxArray& OnnxNode::integers(std::size_t i) const {
  const OnnxArray& array = any(i);
  if (!array.integral) refuse(fmt::format("input {} must hold integers", i + 1));
  return array;
}

const onnx::AttributeProto* OnnxNode::find(std::string_view name) const {
  for (const onnx::AttributeProto& attribute : proto_.attribute()) {
    if (attribute.name() == name) return &attribute;
  }
  return nullptr;
}

std::int64_t OnnxNode::integer(std::string_view name, std::int64_t otherwise) const {
  const onnx::AttributeProto* attribute = find(name);
  return attribute == nullptr ? otherwise : attribute->i();
}

float OnnxNode::number(std::string_view name, float otherwise) const {
  const onnx::AttributeProto* attribute = find(name);
  return attribute == nullptr ? otherwise : attribute->f();
}

std::string OnnxNode::text(std::string_view name, std::string_view otherwise) const {
  const onnx::AttributeProto* attribute = find(name);
  return attribute == nullptr ? std::string(otherwise) : attribute->s();
}

std::vector<std::int64_t> OnnxNode::list(std::string_view name, std::vector<std::int64_t> otherwise) const {
  const onnx::AttributeProto* attribute = find(name);
  if (attribute == nullptr) return otherwise;
  return {attribute->ints().begin(), attribute->ints().end()};
}

std::vector<float> OnnxNode::numbers(std::string_view name) const {
  const onnx::AttributeProto* attribute = find(name);
  if (attribute == nullptr) return {};
  return {attribute->floats().begin(), attribute->floats().end()};
}

std::vector<std::int64_t> OnnxNode::list_or_input(std::string_view name, std::size_t i) const {
  return has(i) ? integers(i).integers : list(name, {});
}

std::size_t OnnxNode::axis(std::int64_t given, std::size_t rank) const {
  const auto count = static_cast<std::int64_t>(rank);
  if (given < -count || given >= count) refuse(fmt::format("there is no axis {}, only {} axes", given, rank));
  return static_cast<std::size_t>(given < 0 ? given + count : given);
}

std::size_t OnnxNode::elements(const OnnxArray::Shape& shape, bool integral) const {
  std::size_t elements = 0;
  const std::size_t most = integral ? left_.numbers / 2 : left_.numbers;  // an integer is as large as two floats
  if (const std::string wrong = count(shape, most, elements); !wrong.empty()) refuse(wrong);
  return elements;
}

OnnxArray OnnxNode::make(OnnxArray::Shape shape, bool integral) const {
  const std::size_t size = elements(shape, integral);
  OnnxArray array{.shape = std::move(shape), .integral = integral};
  if (integral) {
    array.integers.resize(size);
  } else {
    array.floats.resize(size);
  }
  return array;
}

OnnxArray OnnxNode::make_integers(std::vector<std::int64_t> values) const {
  const auto size = static_cast<std::int64_t>(values.size());
  return {.shape = {size}, .integral = true, .integers = std::move(values)};
}

void OnnxNode::check_work(double multiplications) const {
  if (multiplications > left_.work)
    refuse(fmt::format("it takes {:.3g} multiplications, but only {:.3g} are left of the limit for a network",
                       multiplications, left_.work));
  left_.work -= multiplications;
}

void OnnxNode::check_written(std::size_t numbers) const {
  constexpr double copied = 8.0;  // multiplications that take as long as writing one number
  check_work(copied * static_cast<double>(numbers));
}

void OnnxNode::check_read() const {
  double numbers = 0.0;
  for (const Input& input : inputs_) {
    if (input.array == nullptr) continue;
    double reach = 1.0;  // an array of no numbers may still have rows to be looked at
    for (const std::int64_t extent : input.array->shape)
      reach *= static_cast<double>(std::max<std::int64_t>(extent, 1));
    numbers += reach;
  }
  check_work(numbers);
}

OnnxArray read_tensor(const onnx::TensorProto& tensor, std::string_view name) {
  const auto refuse = [&](std::string_view what) {
    throw DataError(where, fmt::format("constant '{}': {}", name, what));
  };
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL)
    refuse(
        "its numbers are in another file; give the path of the network instead of its bytes, with that file next to "
        "it");
  OnnxArray array{.shape = {tensor.dims().begin(), tensor.dims().end()}};
  std::size_t elements = 0;
  if (const std::string wrong = count(array.shape, OnnxLimits{}.numbers, elements); !wrong.empty()) refuse(wrong);
  const bool raw = !tensor.raw_data().empty();
  const auto given = [&](std::size_t field, std::size_t width) {
    if ((raw ? tensor.raw_data().size() : field * width) != elements * width)
      refuse(fmt::format("its numbers do not fill its shape {}", shape_text(array.shape)));
  };
  array.integral = tensor.data_type() != onnx::TensorProto::FLOAT;
  switch (tensor.data_type()) {
    case onnx::TensorProto::FLOAT:
      given(static_cast<std::size_t>(tensor.float_data_size()), sizeof(float));
      array.floats.resize(elements);
      raw ? read_raw<float, float>(tensor.raw_data(), array.floats) : read_field(tensor.float_data(), array.floats);
      break;
    case onnx::TensorProto::INT64:
      given(static_cast<std::size_t>(tensor.int64_data_size()), sizeof(std::int64_t));
      array.integers.resize(elements);
      raw ? read_raw<std::int64_t, std::int64_t>(tensor.raw_data(), array.integers)
          : read_field(tensor.int64_data(), array.integers);
      break;
    case onnx::TensorProto::INT32:
      given(static_cast<std::size_t>(tensor.int32_data_size()), sizeof(std::int32_t));
      array.integers.resize(elements);
      raw ? read_raw<std::int64_t, std::int32_t>(tensor.raw_data(), array.integers)
          : read_field(tensor.int32_data(), array.integers);
      break;
    case onnx::TensorProto::BOOL:
      given(static_cast<std::size_t>(tensor.int32_data_size()), sizeof(bool));
      array.integers.resize(elements);
      raw ? read_raw<std::int64_t, std::uint8_t>(tensor.raw_data(), array.integers)
          : read_field(tensor.int32_data(), array.integers);
      break;
    default: refuse("its type is not float32, int32, int64 or bool; export the network in float32");
  }
  return array;
}

}  // namespace nomu
