#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <set>

#include "interchange/foreign/onnx_program.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "interchange/onnx";
constexpr std::int64_t longest_row = 1 << 24;
constexpr std::size_t most_inputs = 10000;

[[noreturn]] void refuse(std::string_view what) { throw DataError(where, what); }

/// The inputs without constants, which old versions had to list as inputs too.
std::vector<const onnx::ValueInfoProto*> real_inputs(const onnx::GraphProto& graph) {
  std::set<std::string_view> constants;
  for (const onnx::TensorProto& tensor : graph.initializer()) constants.insert(tensor.name());
  std::vector<const onnx::ValueInfoProto*> inputs;
  for (const onnx::ValueInfoProto& input : graph.input()) {
    if (!constants.contains(input.name())) inputs.push_back(&input);
  }
  return inputs;
}

bool reads_whole_numbers(const onnx::ValueInfoProto& input) {
  switch (input.type().tensor_type().elem_type()) {
    case onnx::TensorProto::FLOAT: return false;
    case onnx::TensorProto::INT32:
    case onnx::TensorProto::INT64: return true;
    case onnx::TensorProto::STRING:
      refuse(
          fmt::format("input '{}' reads texts, but bounds read numbers; encode the texts as numbers before the network "
                      "(in scikit-learn: fit the pipeline on an OrdinalEncoder's numbers and export that)",
                      input.name()));
    default:
      refuse(fmt::format("input '{}' must be float32, int32 or int64; export the network in float32", input.name()));
  }
}

/// Reads one input; `size` is the number of columns so far.
OnnxInput read_input(const onnx::ValueInfoProto& given, bool alone, std::int64_t& size) {
  OnnxInput input{.name = given.name(), .columns = {}, .whole = reads_whole_numbers(given)};
  const onnx::TypeProto::Tensor& type = given.type().tensor_type();
  const int axes = type.shape().dim_size();
  const bool fixed = axes > 0 && type.shape().dim(0).has_dim_value() && type.shape().dim(0).dim_value() > 0;
  if (!type.has_shape() || axes == 0 || (axes == 1 && fixed))
    refuse(fmt::format("input '{}' has no batch axis; it must be [rows][columns] or [rows][channels][height][width]",
                       input.name));
  if (fixed)
    refuse(
        fmt::format("the batch axis of input '{}' is fixed at {}; export the network for any number of rows (in "
                    "PyTorch: dynamic_axes={{'{}': {{0: 'rows'}}}})",
                    input.name, type.shape().dim(0).dim_value(), input.name));
  if (!alone && axes > 2)
    refuse(fmt::format("input '{}' has {} axes; next to other inputs each must be [rows] or [rows][columns]",
                       input.name, axes));
  std::int64_t own = 1;
  for (int i = 1; i < axes; ++i) {
    const std::int64_t extent = type.shape().dim(i).dim_value();
    if (!type.shape().dim(i).has_dim_value() || extent < 1 || extent > longest_row / own)
      refuse(fmt::format("axis {} of input '{}' has no fixed length", i, input.name));
    own *= extent;
    input.columns.push_back(extent);
  }
  size += own;
  if (size > longest_row) refuse(fmt::format("a row has more than {} numbers", longest_row));
  return input;
}

}  // namespace

std::size_t OnnxInput::size() const {
  std::size_t size = 1;
  for (const std::int64_t extent : columns) size *= static_cast<std::size_t>(extent);
  return size;
}

void OnnxProgram::read_inputs() {
  const std::vector<const onnx::ValueInfoProto*> given = real_inputs(model_->graph());
  if (given.empty()) refuse("the network has no input");
  if (given.size() > most_inputs) refuse(fmt::format("the network has more than {} inputs", most_inputs));
  std::int64_t size = 0;
  for (const onnx::ValueInfoProto* input : given) {
    if (!input_names_.insert(input->name()).second) refuse(fmt::format("input '{}' is listed twice", input->name()));
    inputs_.push_back(read_input(*input, given.size() == 1, size));
  }
}

void OnnxProgram::read_output() {
  constexpr int most_listed = 20;
  const onnx::GraphProto& graph = model_->graph();
  std::string names;
  int listed = 0;
  for (const onnx::ValueInfoProto& output : graph.output()) {
    if (output.name() == choice_.output || (choice_.output.empty() && graph.output_size() == 1)) {
      output_ = output.name();
      return;
    }
    if (++listed <= most_listed) names += fmt::format("{}'{}'", names.empty() ? "" : ", ", output.name());
  }
  if (listed > most_listed) names += fmt::format(" and {} more", listed - most_listed);
  if (choice_.output.empty())
    refuse(fmt::format("the network has {} outputs ({}); name the one that is the prediction with {}",
                       graph.output_size(), names, choice_.words.output));
  refuse(fmt::format("there is no output '{}', only {}", choice_.output, names));
}

bool OnnxProgram::is_input(std::string_view value) const { return input_names_.contains(value); }

OnnxArray::Shape OnnxProgram::row_shape() const {
  if (inputs_.size() == 1 && !inputs_[0].columns.empty()) return inputs_[0].columns;
  return {static_cast<std::int64_t>(row_size())};
}

std::size_t OnnxProgram::row_size() const {
  std::size_t size = 0;
  for (const OnnxInput& input : inputs_) size += input.size();
  return size;
}

}  // namespace nomu
