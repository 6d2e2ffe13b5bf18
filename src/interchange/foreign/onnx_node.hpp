#pragma once
// A node of a foreign graph during evaluation: its inputs, its settings, and its errors. Files come from anywhere, so
// everything is checked here and in the operators before it is used.

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

/// A dense array in row-major order, of floats, or of integers for shapes, indices and answers (0 or 1).
struct OnnxArray {
  using Shape = std::vector<std::int64_t>;

  Shape shape = {};
  bool integral = false;
  std::vector<float> floats = {};
  std::vector<std::int64_t> integers = {};

  [[nodiscard]] std::size_t size() const { return integral ? integers.size() : floats.size(); }
  /// Its size in memory, in float32 numbers.
  [[nodiscard]] std::size_t held() const { return floats.size() + 2 * integers.size(); }
  [[nodiscard]] std::size_t rank() const { return shape.size(); }
};

/// "[2][3]"
[[nodiscard]] std::string shape_text(const OnnxArray::Shape& shape);

/// Limits on the cost of evaluating a graph, since a file of a few bytes can demand any amount.
struct OnnxLimits {
  std::size_t numbers = std::size_t{1} << 26U;  ///< float32 numbers in one array; twice as many in total at one time
  double work = 2e9;                            ///< multiplications per row
};

/// What is left of the limits during an evaluation.
struct OnnxAllowance {
  std::size_t numbers = 0;
  double work = 0.0;
};

class OnnxNode {
 public:
  struct Input {
    const OnnxArray* array = nullptr;  ///< null: left out
    bool fixed = false;                ///< the same for all rows
  };

  /// The node's work is subtracted from `left`.
  OnnxNode(const onnx::NodeProto& proto, std::int64_t opset, OnnxAllowance& left, std::vector<Input> inputs)
      : proto_(proto), opset_(opset), left_(left), inputs_(std::move(inputs)) {}

  /// The node's name in messages: "node 'fc/Gemm' (Gemm)".
  [[nodiscard]] static std::string title(const onnx::NodeProto& proto);

  [[noreturn]] void refuse(std::string_view what) const;
  void require(bool fine, std::string_view what) const {
    if (!fine) refuse(what);
  }

  [[nodiscard]] std::int64_t opset() const { return opset_; }
  [[nodiscard]] const onnx::NodeProto& proto() const { return proto_; }
  [[nodiscard]] std::size_t inputs() const { return inputs_.size(); }
  [[nodiscard]] bool has(std::size_t i) const { return i < inputs_.size() && inputs_[i].array != nullptr; }
  [[nodiscard]] bool fixed(std::size_t i) const { return i < inputs_.size() && inputs_[i].fixed; }
  /// Which of the node's outputs is wanted.
  [[nodiscard]] std::size_t which() const { return which_; }
  void want(std::size_t output) { which_ = output; }
  [[nodiscard]] const OnnxArray& any(std::size_t i) const;
  [[nodiscard]] const OnnxArray& floats(std::size_t i) const;
  [[nodiscard]] const OnnxArray& integers(std::size_t i) const;

  [[nodiscard]] const onnx::AttributeProto* find(std::string_view name) const;
  [[nodiscard]] std::int64_t integer(std::string_view name, std::int64_t otherwise) const;
  [[nodiscard]] float number(std::string_view name, float otherwise) const;
  [[nodiscard]] std::string text(std::string_view name, std::string_view otherwise) const;
  [[nodiscard]] std::vector<std::int64_t> list(std::string_view name, std::vector<std::int64_t> otherwise) const;
  [[nodiscard]] std::vector<float> numbers(std::string_view name) const;
  /// A list that was an attribute in old versions and is input `i` in newer ones.
  [[nodiscard]] std::vector<std::int64_t> list_or_input(std::string_view name, std::size_t i) const;

  /// The index of an axis that may be counted from either end.
  [[nodiscard]] std::size_t axis(std::int64_t given, std::size_t rank) const;
  /// Number of elements of the shape. Throws if it exceeds the limit.
  [[nodiscard]] std::size_t elements(const OnnxArray::Shape& shape, bool integral) const;
  /// An array of zeros. Throws if it exceeds the limit.
  [[nodiscard]] OnnxArray make(OnnxArray::Shape shape, bool integral = false) const;
  [[nodiscard]] OnnxArray make_integers(std::vector<std::int64_t> values) const;
  /// Throws if this is more work than is left.
  void check_work(double multiplications) const;
  /// The same for writing so many numbers of a result.
  void check_written(std::size_t numbers) const;
  /// The same for looking at all inputs once; what a node reads may be far more than what it makes.
  void check_read() const;

 private:
  const onnx::NodeProto& proto_;
  std::int64_t opset_;
  OnnxAllowance& left_;
  std::vector<Input> inputs_;
  std::size_t which_ = 0;
};

/// A constant in the file. Throws DataError naming it when its type is not float, int32, int64 or bool, or its numbers
/// do not fill its shape.
[[nodiscard]] OnnxArray read_tensor(const onnx::TensorProto& tensor, std::string_view name);

/// How an operator is evaluated: its first output, or where it has several, the one that is wanted.
struct OnnxOperator {
  OnnxArray (*function)(const OnnxNode& node) = nullptr;  ///< null: unknown
  bool several = false;
};
[[nodiscard]] OnnxOperator find_operator(std::string_view domain, std::string_view op);

}  // namespace nomu
