#pragma once
// A foreign graph, checked and ready to be evaluated. Anything not fully understood is refused with the name of the
// node.

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interchange/foreign/onnx_node.hpp"

namespace onnx {
class ModelProto;
}

namespace nomu {

class OnnxProgram {
 public:
  /// Throws DataError naming what is wrong: not an ONNX file, an unknown operator, several inputs or outputs, no batch
  /// axis, a value that no node produces.
  OnnxProgram(std::string_view bytes, const OnnxLimits& limits);
  OnnxProgram(const OnnxProgram&) = delete;
  OnnxProgram& operator=(const OnnxProgram&) = delete;
  OnnxProgram(OnnxProgram&&) = delete;
  OnnxProgram& operator=(OnnxProgram&&) = delete;
  ~OnnxProgram();

  [[nodiscard]] const onnx::ModelProto& model() const { return *model_; }
  [[nodiscard]] std::int64_t opset() const { return opset_; }
  [[nodiscard]] const std::string& input() const { return input_; }
  [[nodiscard]] const std::string& output() const { return output_; }
  /// Shape of the input after the batch axis.
  [[nodiscard]] const OnnxArray::Shape& row_shape() const { return row_shape_; }
  [[nodiscard]] std::size_t row_size() const;

  /// The value that the last layer with weights reads: the network's features of a row. Throws DataError when there is
  /// none or more than one.
  [[nodiscard]] std::string last_hidden() const;
  /// The value of this name, or the output of the node of this name. Throws DataError listing the layers.
  [[nodiscard]] std::string value_named(const std::string& name) const;

  /// The result of a run: the requested value, the output, and the most numbers in memory at once.
  struct Values {
    OnnxArray value;
    OnnxArray output;
    std::size_t peak = 0;
  };
  /// The requested value and the output for rows [q][d]. Throws DataError naming the node that cannot be evaluated.
  [[nodiscard]] Values run(std::span<const float> rows, std::size_t count, const std::string& value) const;

 private:
  void read_interface();
  void read_nodes();
  [[nodiscard]] bool is_constant(const std::string& value) const;
  [[nodiscard]] int maker_of(const std::string& value) const;
  [[nodiscard]] bool weighs(int node) const;
  [[nodiscard]] bool behind_weights(const std::string& value) const;

  std::unique_ptr<onnx::ModelProto> model_;
  OnnxLimits limits_;
  std::int64_t opset_ = 0;
  std::string input_, output_;
  OnnxArray::Shape row_shape_;
  std::map<std::string, OnnxArray, std::less<>> constants_;
  std::set<std::string, std::less<>> fixed_;           ///< values that are the same for all rows
  std::vector<OnnxOperator> operators_;                ///< one per node
  std::map<std::string, int, std::less<>> producers_;  ///< the node that produces each value
  std::map<std::string, int, std::less<>> last_use_;   ///< the last node that reads each value
};

}  // namespace nomu
