#pragma once
// A node of a foreign graph while it is evaluated: its inputs, its settings, and how it complains. Files come from
// anywhere, so everything is checked here and in the operators before it is used.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace onnx {
class AttributeProto;
class NodeProto;
class TensorProto;
}  // namespace onnx

namespace nomu {

/// A dense array in row-major order, of floats or, where shapes and places are computed, of integers.
struct OnnxArray {
  using Shape = std::vector<std::int64_t>;

  Shape shape = {};
  bool integral = false;
  std::vector<float> floats = {};
  std::vector<std::int64_t> integers = {};

  [[nodiscard]] std::size_t size() const { return integral ? integers.size() : floats.size(); }
  /// Its memory in float32 numbers.
  [[nodiscard]] std::size_t held() const { return floats.size() + 2 * integers.size(); }
  [[nodiscard]] std::size_t rank() const { return shape.size(); }
};

/// "[2][3]"
[[nodiscard]] std::string shape_text(const OnnxArray::Shape& shape);

/// What evaluating a graph may cost; a file can ask for any amount in a few bytes.
struct OnnxLimits {
  std::size_t numbers = std::size_t{1} << 26U;  ///< float32 ones of an array; twice as many at the same time
  double work = 2e9;                            ///< multiplications of one row
};

/// What is left of the limits while a graph is evaluated.
struct OnnxAllowance {
  std::size_t numbers = 0;
  double work = 0.0;
};

class OnnxNode {
 public:
  /// `left` is less by the node's work afterwards.
  OnnxNode(const onnx::NodeProto& proto, std::int64_t opset, OnnxAllowance& left, std::vector<const OnnxArray*> inputs)
      : proto_(proto), opset_(opset), left_(left), inputs_(std::move(inputs)) {}

  /// "node 'fc/Gemm' (Gemm)", as messages call it.
  [[nodiscard]] static std::string title(const onnx::NodeProto& proto);

  [[noreturn]] void refuse(std::string_view what) const;
  void require(bool fine, std::string_view what) const {
    if (!fine) refuse(what);
  }

  [[nodiscard]] std::int64_t opset() const { return opset_; }
  [[nodiscard]] const onnx::NodeProto& proto() const { return proto_; }
  [[nodiscard]] std::size_t inputs() const { return inputs_.size(); }
  [[nodiscard]] bool has(std::size_t i) const { return i < inputs_.size() && inputs_[i] != nullptr; }
  [[nodiscard]] const OnnxArray& any(std::size_t i) const;
  [[nodiscard]] const OnnxArray& floats(std::size_t i) const;
  [[nodiscard]] const OnnxArray& integers(std::size_t i) const;

  [[nodiscard]] const onnx::AttributeProto* find(std::string_view name) const;
  [[nodiscard]] std::int64_t integer(std::string_view name, std::int64_t otherwise) const;
  [[nodiscard]] float number(std::string_view name, float otherwise) const;
  [[nodiscard]] std::string text(std::string_view name, std::string_view otherwise) const;
  [[nodiscard]] std::vector<std::int64_t> list(std::string_view name, std::vector<std::int64_t> otherwise) const;
  [[nodiscard]] std::vector<float> numbers(std::string_view name) const;
  /// A list that was an attribute before it became input `i`.
  [[nodiscard]] std::vector<std::int64_t> list_or_input(std::string_view name, std::size_t i) const;

  /// An axis counted from either end, as a place among `rank`.
  [[nodiscard]] std::size_t axis(std::int64_t given, std::size_t rank) const;
  /// How many numbers the shape holds; refuses sizes over the limit.
  [[nodiscard]] std::size_t elements(const OnnxArray::Shape& shape, bool integral) const;
  /// An array of zeros; refuses sizes over the limit.
  [[nodiscard]] OnnxArray make(OnnxArray::Shape shape, bool integral = false) const;
  [[nodiscard]] OnnxArray make_integers(std::vector<std::int64_t> values) const;
  /// Refuses more work than is left.
  void check_work(double multiplications) const;

 private:
  const onnx::NodeProto& proto_;
  std::int64_t opset_;
  OnnxAllowance& left_;
  std::vector<const OnnxArray*> inputs_;
};

/// A constant of the file. Throws DataError naming it where its type is none of float, int32, int64 or its numbers do
/// not fill its shape.
[[nodiscard]] OnnxArray read_tensor(const onnx::TensorProto& tensor, std::string_view name);

/// How an operator of the graph is evaluated; empty for operators that are not known.
using OnnxOperator = OnnxArray (*)(const OnnxNode& node);
[[nodiscard]] OnnxOperator find_operator(std::string_view domain, std::string_view op);

}  // namespace nomu
