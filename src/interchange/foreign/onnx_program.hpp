#pragma once
// A foreign graph, checked and ready to be evaluated. Only what is certain to be understood gets this far; everything
// else is refused with the name of the node.

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
  /// Throws DataError naming what is wrong: no ONNX, an operator that is not known, several inputs or outputs, no batch
  /// axis, a value that nobody makes.
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
  /// Axes of the input behind the batch.
  [[nodiscard]] const OnnxArray::Shape& row_shape() const { return row_shape_; }
  [[nodiscard]] std::size_t row_size() const;

  /// The value that the last layer with weights reads: what the network has made of a row. Throws DataError where there
  /// is none or more than one.
  [[nodiscard]] std::string last_hidden() const;
  /// The value that a node or a value of this name stands for. Throws DataError listing the layers there are.
  [[nodiscard]] std::string value_named(const std::string& name) const;

  /// What a run found: the value that was asked for, the output, and how many numbers it held at once at most.
  struct Values {
    OnnxArray value;
    OnnxArray output;
    std::size_t peak = 0;
  };
  /// The value of this name and the output for rows [q][d]. Throws DataError naming the node that cannot be evaluated.
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
  std::set<std::string, std::less<>> fixed_;          ///< values that are the same for all rows
  std::vector<OnnxOperator> operators_;               ///< of each node
  std::map<std::string, int, std::less<>> makers_;    ///< node of each value
  std::map<std::string, int, std::less<>> last_use_;  ///< node that reads a value last
};

}  // namespace nomu
