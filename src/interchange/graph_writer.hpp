#pragma once
// Adds nodes and constants to an ONNX graph, one operation per call, with operators that mean the same in every
// operator set from version 7 on. Values of nomu's graphs have the axes [members][parts][rows][columns].

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace onnx {
class GraphProto;
class NodeProto;
}  // namespace onnx

namespace nomu {

/// The name of a value in the graph.
struct GraphValue {
  std::string name;
};

class GraphWriter {
 public:
  using Shape = std::vector<std::int64_t>;

  /// All new names start with `prefix`, which must not be a prefix of any name in the graph.
  GraphWriter(onnx::GraphProto& graph, std::int64_t opset, std::string prefix)
      : graph_(graph), opset_(opset), prefix_(std::move(prefix)) {}

  [[nodiscard]] GraphValue floats(std::string_view name, std::span<const float> values, const Shape& shape);
  [[nodiscard]] GraphValue doubles(std::string_view name, std::span<const double> values, const Shape& shape);
  [[nodiscard]] GraphValue integers(std::string_view name, std::span<const std::int64_t> values);
  /// A scalar double.
  [[nodiscard]] GraphValue number(double value);

  /// Adds a node with one output.
  [[nodiscard]] GraphValue apply(std::string_view op, std::initializer_list<GraphValue> inputs);

  [[nodiscard]] GraphValue add(const GraphValue& a, const GraphValue& b) { return apply("Add", {a, b}); }
  [[nodiscard]] GraphValue subtract(const GraphValue& a, const GraphValue& b) { return apply("Sub", {a, b}); }
  [[nodiscard]] GraphValue multiply(const GraphValue& a, const GraphValue& b) { return apply("Mul", {a, b}); }
  [[nodiscard]] GraphValue divide(const GraphValue& a, const GraphValue& b) { return apply("Div", {a, b}); }
  [[nodiscard]] GraphValue matmul(const GraphValue& a, const GraphValue& b) { return apply("MatMul", {a, b}); }
  [[nodiscard]] GraphValue square(const GraphValue& a) { return apply("Mul", {a, a}); }
  [[nodiscard]] GraphValue root(const GraphValue& a) { return apply("Sqrt", {a}); }
  /// max(0, a)
  [[nodiscard]] GraphValue positive(const GraphValue& a) { return apply("Relu", {a}); }
  [[nodiscard]] GraphValue least(const GraphValue& a, const GraphValue& b) { return apply("Min", {a, b}); }
  [[nodiscard]] GraphValue most(const GraphValue& a, const GraphValue& b) { return apply("Max", {a, b}); }
  /// Values from low to high, whose shapes may differ from operator set 8 on.
  [[nodiscard]] GraphValue limited(const GraphValue& a, const GraphValue& low, const GraphValue& high) {
    return least(most(a, low), high);
  }

  [[nodiscard]] GraphValue to_double(const GraphValue& a);
  [[nodiscard]] GraphValue to_float(const GraphValue& a);
  /// A double rounded to single precision, where the library stores a float.
  [[nodiscard]] GraphValue rounded(const GraphValue& a) { return to_double(to_float(a)); }
  [[nodiscard]] GraphValue reshape(const GraphValue& a, const Shape& shape);
  [[nodiscard]] GraphValue reshape_like(const GraphValue& a, const GraphValue& model);
  [[nodiscard]] GraphValue concat(std::span<const GraphValue> values, std::int64_t axis);
  /// Axis `order[k]` becomes axis k.
  [[nodiscard]] GraphValue transpose(const GraphValue& a, std::span<const std::int64_t> order);
  /// The first `count` columns of the last axis.
  [[nodiscard]] GraphValue front_columns(const GraphValue& a, std::int64_t count);
  /// Entries of the first axis, in this order; the axis is kept.
  [[nodiscard]] GraphValue pick(const GraphValue& a, std::span<const std::int64_t> indices);
  /// Entries of the last axis, in this order; `axis` is its number.
  [[nodiscard]] GraphValue columns(const GraphValue& a, std::span<const std::int64_t> indices, std::int64_t axis = 3) {
    return gather(a, indices, axis);
  }
  /// Column k of the last axis, which is kept with length 1.
  [[nodiscard]] GraphValue column(const GraphValue& a, std::int64_t k) { return columns(a, {&k, 1}); }
  /// The sum over an axis, which is kept with length 1.
  [[nodiscard]] GraphValue sum(const GraphValue& a, std::int64_t axis);
  /// The k-th largest along the first axis, which is kept with length 1.
  [[nodiscard]] GraphValue kth_largest(const GraphValue& a, std::int64_t k);

  /// Convolves float images [n][groups channels][height][width] with weights [groups
  /// filters][channels][kernel][kernel].
  [[nodiscard]] GraphValue convolve(const GraphValue& images, const GraphValue& weights, const GraphValue& bias,
                                    std::int64_t groups, std::int64_t kernel, std::int64_t stride,
                                    std::int64_t padding);
  /// Pools each height x width block of pixels, with "MaxPool" or "AveragePool".
  [[nodiscard]] GraphValue pool(std::string_view op, const GraphValue& images, std::int64_t height, std::int64_t width);

  /// Publishes a value under this name, without the prefix.
  void name_output(const GraphValue& a, const std::string& name);

 private:
  [[nodiscard]] std::string fresh(std::string_view what);
  onnx::NodeProto& add_node(std::string_view op, std::span<const GraphValue> inputs);
  [[nodiscard]] GraphValue gather(const GraphValue& a, std::span<const std::int64_t> indices, std::int64_t axis);
  [[nodiscard]] GraphValue cast(const GraphValue& a, std::int64_t type);

  onnx::GraphProto& graph_;
  std::int64_t opset_;
  std::string prefix_;
  std::size_t count_ = 0;
};

}  // namespace nomu
