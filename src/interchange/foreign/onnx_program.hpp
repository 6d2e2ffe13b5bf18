#pragma once
// A foreign graph, checked and ready to be evaluated. Anything not fully understood is refused with the name of the
// node.

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interchange/foreign/onnx_node.hpp"
#include "nomu/interchange/attach.hpp"

namespace onnx {
class ModelProto;
}

namespace nomu {

class OnnxProgram {
 public:
  /// Throws DataError naming what is wrong: not an ONNX file, an unknown operator on the way to the output, several
  /// outputs without a choice, no batch axis, a value that no node produces.
  OnnxProgram(std::string_view bytes, const OnnxLimits& limits, OnnxChoice choice = {});
  OnnxProgram(const OnnxProgram&) = delete;
  OnnxProgram& operator=(const OnnxProgram&) = delete;
  OnnxProgram(OnnxProgram&&) = delete;
  OnnxProgram& operator=(OnnxProgram&&) = delete;
  ~OnnxProgram();

  [[nodiscard]] const onnx::ModelProto& model() const { return *model_; }
  [[nodiscard]] std::int64_t opset() const { return opset_; }
  [[nodiscard]] const std::vector<OnnxInput>& inputs() const { return inputs_; }
  [[nodiscard]] const std::string& output() const { return output_; }
  /// Shape of a row: that of the only input, or the number of columns of all inputs.
  [[nodiscard]] OnnxArray::Shape row_shape() const;
  [[nodiscard]] std::size_t row_size() const;

  /// The value that the bounds read, the network's features of a row: the one chosen by the name of a value or of a
  /// node, or else what the last layer with weights reads. Throws DataError when there is none or more than one.
  [[nodiscard]] std::string features() const;

  /// The result of a run: the requested value, the output, the most numbers in memory at once, and the multiplications
  /// that it took.
  struct Values {
    OnnxArray value;
    OnnxArray output;
    std::size_t peak = 0;
    double work = 0.0;
  };
  /// The requested value and the output for rows [q][d]. Throws DataError naming the node that cannot be evaluated, and
  /// Cancelled between nodes once this stop or that of the choice is requested.
  [[nodiscard]] Values run(std::span<const float> rows, std::size_t count, const std::string& value,
                           const std::stop_token& stop = {}) const;

 private:
  /// The nodes that some values need, in order, and the last of them that reads each value.
  struct Steps {
    std::vector<int> nodes;
    std::map<std::string_view, int> last_use;
  };

  void read_inputs();
  void read_output();
  void read_nodes();
  [[nodiscard]] Steps steps_to(std::initializer_list<std::string_view> values) const;
  [[nodiscard]] std::string last_hidden() const;
  [[nodiscard]] std::string value_named(const std::string& name) const;
  [[nodiscard]] std::map<std::string_view, OnnxArray> split_rows(std::span<const float> rows, std::size_t count) const;
  [[nodiscard]] bool is_input(std::string_view value) const;
  [[nodiscard]] bool is_constant(const std::string& value) const;
  [[nodiscard]] int maker_of(std::string_view value) const;
  [[nodiscard]] bool weighs(int node) const;
  [[nodiscard]] bool behind_weights(const std::string& value) const;

  std::unique_ptr<onnx::ModelProto> model_;
  OnnxLimits limits_;
  OnnxChoice choice_;
  std::int64_t opset_ = 0;
  std::vector<OnnxInput> inputs_;
  std::set<std::string, std::less<>> input_names_;
  std::string output_;
  std::map<std::string, OnnxArray, std::less<>> constants_;
  std::set<std::string, std::less<>> fixed_;           ///< values that are the same for all rows
  std::vector<OnnxOperator> operators_;                ///< one per node
  std::map<std::string, int, std::less<>> producers_;  ///< the node that produces each value
};

}  // namespace nomu
