#include "interchange/foreign/onnx_program.hpp"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "interchange/foreign/onnx_memory.hpp"
#include "interchange/onnx_file.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "interchange/onnx";
constexpr std::int64_t least_opset = 7;
constexpr int most_nodes = 100000;

[[noreturn]] void refuse(std::string_view what) { throw DataError(where, what); }

std::int64_t opset_of(const onnx::ModelProto& model) {
  for (const onnx::OperatorSetIdProto& set : model.opset_import()) {
    if (set.domain().empty() || set.domain() == "ai.onnx") return set.version();
  }
  return 0;
}

/// Whether a node is a whole model of scikit-learn that is not a network.
bool is_whole_model(const onnx::NodeProto& node) {
  const std::string_view op = node.op_type();
  return node.domain() == "ai.onnx.ml" &&
         (op.starts_with("TreeEnsemble") || op.starts_with("SVM") || op.starts_with("Linear"));
}

[[noreturn]] void refuse_operator(const onnx::NodeProto& node) {
  if (is_whole_model(node))
    refuse(
        fmt::format("{}: this operator is not supported, because such a model has no hidden layer that bounds could "
                    "read; calibrate its predictions instead, with nomu.calibrate.conformal in Python "
                    "(docs/python.md)",
                    OnnxNode::title(node)));
  refuse(
      fmt::format("{}: this operator is not supported; bounds can be attached to networks of dense and convolution "
                  "layers, see docs/onnx.md for the list",
                  OnnxNode::title(node)));
}

}  // namespace

OnnxProgram::~OnnxProgram() = default;

OnnxProgram::OnnxProgram(std::string_view bytes, const OnnxLimits& limits, OnnxChoice choice)
    : model_(std::make_unique<onnx::ModelProto>()), limits_(limits), choice_(std::move(choice)) {
  if (bytes.empty()) refuse("the file is empty");
  if (bytes.size() > most_network_bytes) refuse("the file is larger than 1 GB");
  require_modest(bytes);
  if (!model_->ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) || !model_->has_graph())
    refuse("this is not an ONNX file");
  const onnx::GraphProto& graph = model_->graph();
  if (graph.node_size() > most_nodes) refuse(fmt::format("the network has more than {} nodes", most_nodes));
  for (const onnx::NodeProto& node : graph.node()) {
    if (is_whole_model(node) && graph.output_size() == 1) refuse_operator(node);
  }
  opset_ = opset_of(*model_);
  if (opset_ < least_opset)
    refuse(fmt::format("the operator set is version {}, but at least {} is needed", opset_, least_opset));
  read_inputs();
  read_output();
  for (const onnx::TensorProto& tensor : graph.initializer()) {
    if (!constants_.emplace(tensor.name(), read_tensor(tensor, tensor.name())).second)
      refuse(fmt::format("constant '{}' is defined twice", tensor.name()));
    fixed_.insert(tensor.name());
  }
  read_nodes();
}

void OnnxProgram::read_nodes() {
  const onnx::GraphProto& graph = model_->graph();
  for (int i = 0; i < graph.node_size(); ++i) {
    const onnx::NodeProto& node = graph.node(i);
    operators_.push_back(find_operator(node.domain(), node.op_type()));
    if (node.output_size() < 1 || node.output(0).empty())
      refuse(fmt::format("{} has no output", OnnxNode::title(node)));
    for (const std::string& name : node.input()) {
      if (!name.empty() && !is_input(name) && !constants_.contains(name) && !producers_.contains(name))
        refuse(fmt::format("{}: no earlier node produces its input '{}'", OnnxNode::title(node), name));
    }
    // A shape depends only on the number of rows.
    const bool fixed = node.op_type() == "Shape" ||
                       std::ranges::all_of(node.input(), [&](const std::string& name) { return is_constant(name); });
    for (const std::string& name : node.output()) {
      if (name.empty()) continue;
      if (is_input(name) || constants_.contains(name) || !producers_.emplace(name, i).second)
        refuse(fmt::format("{}: '{}' is produced twice", OnnxNode::title(node), name));
      if (fixed) fixed_.insert(name);
    }
  }
  if (!producers_.contains(output_)) refuse(fmt::format("no node produces the output '{}'", output_));
  (void)steps_to({output_});  // throws if a step is not supported
}

int OnnxProgram::maker_of(std::string_view value) const {
  const auto found = producers_.find(value);
  return found == producers_.end() ? -1 : found->second;
}

bool OnnxProgram::is_constant(const std::string& value) const { return value.empty() || fixed_.contains(value); }

OnnxProgram::Steps OnnxProgram::steps_to(std::initializer_list<std::string_view> values) const {
  Steps steps;
  std::set<std::string_view> needed(values);
  int last = -1;
  for (const std::string_view value : values) last = std::max(last, maker_of(value));
  for (int i = last; i >= 0; --i) {
    const onnx::NodeProto& node = model_->graph().node(i);
    const OnnxOperator& step = operators_[static_cast<std::size_t>(i)];
    bool used = false;
    for (int k = 0; k < node.output_size(); ++k) {
      if (!needed.contains(node.output(k))) continue;
      used = true;
      if (step.function != nullptr && !step.several && k > 0)
        refuse(fmt::format("{}: only the first of its outputs is supported, not '{}'", OnnxNode::title(node),
                           node.output(k)));
    }
    if (!used) continue;
    if (step.function == nullptr) refuse_operator(node);
    steps.nodes.push_back(i);
    for (const std::string& name : node.input()) {
      if (name.empty()) continue;
      needed.insert(name);
      steps.last_use.emplace(name, i);
    }
  }
  std::ranges::reverse(steps.nodes);
  return steps;
}

std::map<std::string_view, OnnxArray> OnnxProgram::split_rows(std::span<const float> rows, std::size_t count) const {
  std::map<std::string_view, OnnxArray> made;
  const std::size_t width = row_size();
  std::size_t first = 0;
  for (const OnnxInput& input : inputs_) {
    const std::size_t size = input.size();
    OnnxArray& x = made[input.name];
    x.shape = input.columns;
    x.shape.insert(x.shape.begin(), static_cast<std::int64_t>(count));
    x.integral = input.whole;
    for (std::size_t e = 0; e < count * size; ++e) {
      const float value = rows[e / size * width + first + e % size];
      if (!input.whole) {
        x.floats.push_back(value);
        continue;
      }
      if (!(std::abs(value) < 1e9F))
        refuse(fmt::format("input '{}' reads whole numbers up to 1e9, got {}", input.name, value));
      x.integers.push_back(std::llround(value));
    }
    first += size;
  }
  return made;
}

OnnxProgram::Values OnnxProgram::run(std::span<const float> rows, std::size_t count, const std::string& value,
                                     const std::stop_token& stop) const {
  const Steps steps = steps_to({output_, value});
  std::map<std::string_view, OnnxArray> made = split_rows(rows, count);
  std::size_t held = 0;
  for (const auto& [name, array] : made) held += array.held();
  std::size_t peak = held;
  OnnxAllowance left{.work = limits_.work * static_cast<double>(count)};
  for (const int i : steps.nodes) {
    if (stop.stop_requested() || choice_.stop.stop_requested()) throw Cancelled(where, "stopped on request");
    const onnx::NodeProto& node = model_->graph().node(i);
    std::vector<OnnxNode::Input> inputs;
    for (const std::string& name : node.input()) {
      const auto found = name.empty() ? made.end() : made.find(name);
      const auto constant = constants_.find(name);
      inputs.push_back(
          {.array = found != made.end() ? &found->second : (constant == constants_.end() ? nullptr : &constant->second),
           .fixed = is_constant(name)});
    }
    OnnxNode evaluated(node, opset_, left, std::move(inputs));
    const OnnxOperator& step = operators_[static_cast<std::size_t>(i)];
    for (int k = 0; k < (step.several ? node.output_size() : 1); ++k) {
      const std::string& name = node.output(k);
      if (name != output_ && name != value && !steps.last_use.contains(name)) continue;
      left.numbers = std::min(limits_.numbers, 2 * limits_.numbers - held);
      evaluated.want(static_cast<std::size_t>(k));
      evaluated.check_read();
      OnnxArray out = step.function(evaluated);
      evaluated.check_written(out.size());
      held += out.held();
      peak = std::max(peak, held);
      if (held > 2 * limits_.numbers)
        refuse(fmt::format("{}: the network needs more than {} numbers in memory at once", OnnxNode::title(node),
                           2 * limits_.numbers));
      made[name] = std::move(out);
    }
    for (const std::string& name : node.input()) {
      const auto found = made.find(name);
      const auto use = steps.last_use.find(name);
      if (found == made.end() || use->second > i || name == output_ || name == value) continue;
      held -= found->second.held();
      made.erase(found);
    }
  }
  OnnxArray wanted = made.at(value);
  return {std::move(wanted), std::move(made.at(output_)), peak, limits_.work * static_cast<double>(count) - left.work};
}

}  // namespace nomu
