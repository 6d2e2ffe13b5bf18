#include "interchange/graph_writer.hpp"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <array>
#include <bit>
#include <numeric>
#include <utility>

namespace nomu {
namespace {

static_assert(std::endian::native == std::endian::little, "raw data of ONNX tensors is little-endian");

void add_integers(onnx::NodeProto& node, const char* name, std::span<const std::int64_t> values) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INTS);
  for (const std::int64_t value : values) attribute.add_ints(value);
}

void add_integer(onnx::NodeProto& node, const char* name, std::int64_t value) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INT);
  attribute.set_i(value);
}

template <class T>
void fill(onnx::TensorProto& tensor, const std::string& name, onnx::TensorProto::DataType type,
          std::span<const T> values, const GraphWriter::Shape& shape) {
  tensor.set_name(name);
  tensor.set_data_type(type);
  for (const std::int64_t extent : shape) tensor.add_dims(extent);
  tensor.set_raw_data(values.data(), values.size_bytes());
}

}  // namespace

std::string GraphWriter::fresh(std::string_view what) { return fmt::format("{}{}_{}", prefix_, what, count_++); }

GraphValue GraphWriter::floats(std::string_view name, std::span<const float> values, const Shape& shape) {
  GraphValue value{fresh(name)};
  fill(*graph_.add_initializer(), value.name, onnx::TensorProto::FLOAT, values, shape);
  return value;
}

GraphValue GraphWriter::doubles(std::string_view name, std::span<const double> values, const Shape& shape) {
  GraphValue value{fresh(name)};
  fill(*graph_.add_initializer(), value.name, onnx::TensorProto::DOUBLE, values, shape);
  return value;
}

GraphValue GraphWriter::integers(std::string_view name, std::span<const std::int64_t> values) {
  GraphValue value{fresh(name)};
  fill(*graph_.add_initializer(), value.name, onnx::TensorProto::INT64, values,
       {static_cast<std::int64_t>(values.size())});
  return value;
}

GraphValue GraphWriter::number(double value) { return doubles("number", {&value, 1}, {}); }

onnx::NodeProto& GraphWriter::add_node(std::string_view op, std::span<const GraphValue> inputs) {
  onnx::NodeProto& node = *graph_.add_node();
  node.set_op_type(std::string(op));
  node.set_name(fresh(op));
  for (const GraphValue& input : inputs) node.add_input(input.name);
  node.add_output(node.name() + "_out");
  return node;
}

GraphValue GraphWriter::apply(std::string_view op, std::initializer_list<GraphValue> inputs) {
  return {add_node(op, {inputs.begin(), inputs.size()}).output(0)};
}

GraphValue GraphWriter::cast(const GraphValue& a, std::int64_t type) {
  onnx::NodeProto& node = add_node("Cast", {&a, 1});
  add_integer(node, "to", type);
  return {node.output(0)};
}

GraphValue GraphWriter::to_double(const GraphValue& a) { return cast(a, onnx::TensorProto::DOUBLE); }

GraphValue GraphWriter::to_float(const GraphValue& a) { return cast(a, onnx::TensorProto::FLOAT); }

GraphValue GraphWriter::reshape(const GraphValue& a, const Shape& shape) {
  return apply("Reshape", {a, integers("shape", shape)});
}

GraphValue GraphWriter::reshape_like(const GraphValue& a, const GraphValue& model) {
  return apply("Reshape", {a, apply("Shape", {model})});
}

GraphValue GraphWriter::concat(std::span<const GraphValue> values, std::int64_t axis) {
  onnx::NodeProto& node = add_node("Concat", values);
  add_integer(node, "axis", axis);
  return {node.output(0)};
}

// Axes are counted from the front, because Gather of version 7 has no negative ones.
GraphValue GraphWriter::gather(const GraphValue& a, std::span<const std::int64_t> indices, std::int64_t axis) {
  const GraphValue inputs[] = {a, integers("indices", indices)};
  onnx::NodeProto& node = add_node("Gather", inputs);
  add_integer(node, "axis", axis);
  return {node.output(0)};
}

GraphValue GraphWriter::pick(const GraphValue& a, std::span<const std::int64_t> indices) {
  return gather(a, indices, 0);
}

GraphValue GraphWriter::front_columns(const GraphValue& a, std::int64_t count) {
  std::vector<std::int64_t> indices(static_cast<std::size_t>(count));
  std::iota(indices.begin(), indices.end(), std::int64_t{0});
  return columns(a, indices);
}

GraphValue GraphWriter::transpose(const GraphValue& a, std::span<const std::int64_t> order) {
  onnx::NodeProto& node = add_node("Transpose", {&a, 1});
  add_integers(node, "perm", order);
  return {node.output(0)};
}

GraphValue GraphWriter::convolve(const GraphValue& images, const GraphValue& weights, const GraphValue& bias,
                                 std::int64_t groups, std::int64_t kernel, std::int64_t stride, std::int64_t padding) {
  const GraphValue inputs[] = {images, weights, bias};
  onnx::NodeProto& node = add_node("Conv", inputs);
  add_integers(node, "kernel_shape", std::array{kernel, kernel});
  add_integers(node, "strides", std::array{stride, stride});
  add_integers(node, "pads", std::array{padding, padding, padding, padding});
  add_integer(node, "group", groups);
  return {node.output(0)};
}

GraphValue GraphWriter::pool(std::string_view op, const GraphValue& images, std::int64_t height, std::int64_t width) {
  onnx::NodeProto& node = add_node(op, {&images, 1});
  add_integers(node, "kernel_shape", std::array{height, width});
  add_integers(node, "strides", std::array{height, width});
  return {node.output(0)};
}

GraphValue GraphWriter::sum(const GraphValue& a, std::int64_t axis) {
  std::vector<GraphValue> inputs{a};
  // In version 13 the axes became an input.
  if (opset_ >= 13) inputs.push_back(integers("axes", {&axis, 1}));
  onnx::NodeProto& node = add_node("ReduceSum", inputs);
  if (opset_ < 13) add_integers(node, "axes", {&axis, 1});
  add_integer(node, "keepdims", 1);
  return {node.output(0)};
}

GraphValue GraphWriter::kth_largest(const GraphValue& a, std::int64_t k) {
  std::vector<GraphValue> inputs{a};
  // In version 10 k became an input.
  if (opset_ >= 10) inputs.push_back(integers("k", {&k, 1}));
  onnx::NodeProto& node = add_node("TopK", inputs);
  node.add_output(node.name() + "_places");
  add_integer(node, "axis", 0);
  if (opset_ < 10) add_integer(node, "k", k);
  const std::int64_t last = k - 1;
  return pick({node.output(0)}, {&last, 1});
}

void GraphWriter::name_output(const GraphValue& a, const std::string& name) {
  onnx::NodeProto& node = add_node("Identity", {&a, 1});
  node.set_output(0, name);
}

}  // namespace nomu
