#include "interchange/foreign/onnx_program.hpp"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <set>

#include "interchange/foreign/wire_fields.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "interchange/onnx";
constexpr std::int64_t least_opset = 7;
constexpr std::int64_t longest_row = 1 << 24;
constexpr int most_nodes = 100000;
constexpr std::size_t most_fields = 2000000;  // half a gigabyte once they are parsed

[[noreturn]] void refuse(std::string_view what) { throw DataError(where, what); }

std::int64_t opset_of(const onnx::ModelProto& model) {
  for (const onnx::OperatorSetIdProto& set : model.opset_import()) {
    if (set.domain().empty() || set.domain() == "ai.onnx") return set.version();
  }
  return 0;
}

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

}  // namespace

OnnxProgram::~OnnxProgram() = default;

OnnxProgram::OnnxProgram(std::string_view bytes, const OnnxLimits& limits)
    : model_(std::make_unique<onnx::ModelProto>()), limits_(limits) {
  if (bytes.empty()) refuse("the file is empty");
  if (bytes.size() > std::size_t{1} << 30U) refuse("the file is larger than 1 GB");
  if (wire_fields(bytes, most_fields) > most_fields)
    refuse(fmt::format("the file has more than {} nodes, names and attributes", most_fields));
  if (!model_->ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) || !model_->has_graph())
    refuse("this is not an ONNX file");
  opset_ = opset_of(*model_);
  if (opset_ < least_opset)
    refuse(fmt::format("the operator set is version {}, but at least {} is needed", opset_, least_opset));
  read_interface();
  for (const onnx::TensorProto& tensor : model_->graph().initializer()) {
    if (!constants_.emplace(tensor.name(), read_tensor(tensor, tensor.name())).second)
      refuse(fmt::format("constant '{}' is defined twice", tensor.name()));
    fixed_.insert(tensor.name());
  }
  read_nodes();
}

void OnnxProgram::read_interface() {
  const onnx::GraphProto& graph = model_->graph();
  const std::vector<const onnx::ValueInfoProto*> inputs = real_inputs(graph);
  if (inputs.size() != 1) refuse(fmt::format("the network has {} inputs, but it must have one", inputs.size()));
  if (graph.output_size() != 1) {
    std::string names;
    for (const onnx::ValueInfoProto& output : graph.output())
      names += fmt::format("{}'{}'", names.empty() ? "" : ", ", output.name());
    refuse(fmt::format("the network has {} outputs ({}), but it must have one, the prediction", graph.output_size(),
                       names));
  }
  input_ = inputs[0]->name();
  output_ = graph.output(0).name();
  const onnx::TypeProto::Tensor& type = inputs[0]->type().tensor_type();
  if (type.elem_type() != onnx::TensorProto::FLOAT)
    refuse(fmt::format("input '{}' must be float32; export the network in float32", input_));
  if (!type.has_shape() || type.shape().dim_size() < 2)
    refuse(fmt::format("input '{}' has no batch axis; it must be [rows][columns] or [rows][channels][height][width]",
                       input_));
  if (type.shape().dim(0).has_dim_value() && type.shape().dim(0).dim_value() > 0)
    refuse(
        fmt::format("the batch axis of input '{}' is fixed at {}; export the network for any number of rows (in "
                    "PyTorch: dynamic_axes={{'{}': {{0: 'rows'}}}})",
                    input_, type.shape().dim(0).dim_value(), input_));
  std::int64_t size = 1;
  for (int i = 1; i < type.shape().dim_size(); ++i) {
    const std::int64_t extent = type.shape().dim(i).dim_value();
    if (!type.shape().dim(i).has_dim_value() || extent < 1 || extent > longest_row / size)
      refuse(fmt::format("axis {} of input '{}' has no fixed length", i, input_));
    size *= extent;
    row_shape_.push_back(extent);
  }
}

void OnnxProgram::read_nodes() {
  const onnx::GraphProto& graph = model_->graph();
  if (graph.node_size() > most_nodes) refuse(fmt::format("the network has more than {} nodes", most_nodes));
  for (int i = 0; i < graph.node_size(); ++i) {
    const onnx::NodeProto& node = graph.node(i);
    const OnnxOperator function = find_operator(node.domain(), node.op_type());
    if (function == nullptr)
      refuse(
          fmt::format("{}: this operator is not supported; bounds can be attached to networks of dense and convolution "
                      "layers, see docs/onnx.md for the list",
                      OnnxNode::title(node)));
    operators_.push_back(function);
    if (node.output_size() < 1 || node.output(0).empty())
      refuse(fmt::format("{} has no output", OnnxNode::title(node)));
    for (const std::string& name : node.input()) {
      if (name.empty()) continue;
      if (name != input_ && !constants_.contains(name) && !producers_.contains(name))
        refuse(fmt::format(
            "{}: no earlier node produces its input '{}' (of nodes with several outputs, only the first is supported)",
            OnnxNode::title(node), name));
      last_use_[name] = i;
    }
    // A shape depends only on the number of rows.
    const bool fixed = node.op_type() == "Shape" ||
                       std::ranges::all_of(node.input(), [&](const std::string& name) { return is_constant(name); });
    const std::string& name = node.output(0);
    if (name == input_ || constants_.contains(name) || !producers_.emplace(name, i).second)
      refuse(fmt::format("{}: '{}' is produced twice", OnnxNode::title(node), name));
    if (fixed) fixed_.insert(name);
  }
  if (!producers_.contains(output_)) refuse(fmt::format("no node produces the output '{}'", output_));
}

std::size_t OnnxProgram::row_size() const {
  std::size_t size = 1;
  for (const std::int64_t extent : row_shape_) size *= static_cast<std::size_t>(extent);
  return size;
}

int OnnxProgram::maker_of(const std::string& value) const {
  const auto found = producers_.find(value);
  return found == producers_.end() ? -1 : found->second;
}

bool OnnxProgram::is_constant(const std::string& value) const { return value.empty() || fixed_.contains(value); }

bool OnnxProgram::weighs(int index) const {
  const onnx::NodeProto& node = model_->graph().node(index);
  const std::string& op = node.op_type();
  return (op == "Gemm" || op == "MatMul" || op == "Conv") && node.input_size() >= 2 && is_constant(node.input(1)) &&
         !is_constant(node.input(0));
}

bool OnnxProgram::behind_weights(const std::string& value) const {
  const int last = maker_of(value);
  std::set<std::string> before{value};
  for (int i = last; i >= 0; --i) {
    const onnx::NodeProto& node = model_->graph().node(i);
    if (std::ranges::none_of(node.output(), [&](const std::string& name) { return before.contains(name); })) continue;
    if (weighs(i)) return true;
    before.insert(node.input().begin(), node.input().end());
  }
  return false;
}

std::string OnnxProgram::last_hidden() const {
  constexpr std::string_view advice = "use --features to name the layer that the bounds should read";
  std::string value = output_;
  for (int i = maker_of(value); i >= 0; i = maker_of(value)) {
    const onnx::NodeProto& node = model_->graph().node(i);
    if (weighs(i)) {
      value = node.input(0);
      if (!behind_weights(value))
        refuse(fmt::format("there is no hidden layer before {}; a linear model has no features to read",
                           OnnxNode::title(node)));
      return value;
    }
    std::vector<std::string> sources;
    for (const std::string& name : node.input()) {
      if (!is_constant(name)) sources.push_back(name);
    }
    if (sources.size() != 1)
      refuse(fmt::format("{}: the path back from the output branches here; {}", OnnxNode::title(node), advice));
    value = sources[0];
  }
  refuse(fmt::format("no layer with weights leads to the output; {}", advice));
}

std::string OnnxProgram::value_named(const std::string& name) const {
  if (producers_.contains(name) && !is_constant(name)) return name;
  std::string known;
  for (int i = 0; i < model_->graph().node_size(); ++i) {
    const onnx::NodeProto& node = model_->graph().node(i);
    if (is_constant(node.output(0))) continue;
    if (node.name() == name && !name.empty()) return node.output(0);
    known += fmt::format("{}{}", known.empty() ? "" : ", ", node.name().empty() ? node.output(0) : node.name());
  }
  refuse(fmt::format("there is no layer '{}'; the layers are {}", name, known));
}

OnnxProgram::Values OnnxProgram::run(std::span<const float> rows, std::size_t count, const std::string& value) const {
  constexpr double copied = 8.0;  // multiplications that take as long as writing one number of a result
  std::map<std::string, OnnxArray, std::less<>> made;
  OnnxArray& x = made[input_];
  x.shape = row_shape_;
  x.shape.insert(x.shape.begin(), static_cast<std::int64_t>(count));
  x.floats.assign(rows.begin(), rows.end());
  std::size_t held = x.held();
  std::size_t peak = held;
  OnnxAllowance left{.work = limits_.work * static_cast<double>(count)};
  const onnx::GraphProto& graph = model_->graph();
  const int last = std::max(maker_of(output_), maker_of(value));
  for (int i = 0; i <= last; ++i) {
    const onnx::NodeProto& node = graph.node(i);
    std::vector<const OnnxArray*> inputs;
    for (const std::string& name : node.input()) {
      const auto found = name.empty() ? made.end() : made.find(name);
      const auto constant = constants_.find(name);
      inputs.push_back(found != made.end() ? &found->second
                                           : (constant == constants_.end() ? nullptr : &constant->second));
    }
    left.numbers = std::min(limits_.numbers, 2 * limits_.numbers - held);
    const OnnxNode evaluated(node, opset_, left, std::move(inputs));
    OnnxArray out = operators_[static_cast<std::size_t>(i)](evaluated);
    evaluated.check_work(copied * static_cast<double>(out.size()));
    held += out.held();
    peak = std::max(peak, held);
    if (held > 2 * limits_.numbers)
      refuse(fmt::format("{}: the network needs more than {} numbers in memory at once", OnnxNode::title(node),
                         2 * limits_.numbers));
    made[node.output(0)] = std::move(out);
    for (const std::string& name : node.input()) {
      const auto found = made.find(name);
      const auto use = last_use_.find(name);
      if (found == made.end() || use->second > i || name == output_ || name == value) continue;
      held -= found->second.held();
      made.erase(found);
    }
  }
  OnnxArray wanted = made.at(value);
  return {std::move(wanted), std::move(made.at(output_)), peak};
}

}  // namespace nomu
