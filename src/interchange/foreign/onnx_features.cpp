#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <set>

#include "interchange/foreign/onnx_program.hpp"
#include "nomu/core/error.hpp"

namespace nomu {
namespace {

[[noreturn]] void refuse(std::string_view what) { throw DataError("interchange/onnx", what); }

}  // namespace

bool OnnxProgram::weighs(int index) const {
  const onnx::NodeProto& node = model_->graph().node(index);
  const std::string& op = node.op_type();
  return (op == "Gemm" || op == "MatMul" || op == "Conv") && node.input_size() >= 2 && is_constant(node.input(1)) &&
         !is_constant(node.input(0));
}

bool OnnxProgram::behind_weights(const std::string& value) const {
  const Steps steps = steps_to({value});
  return std::ranges::any_of(steps.nodes, [&](int node) { return weighs(node); });
}

std::string OnnxProgram::last_hidden() const {
  const std::string advice =
      fmt::format("use {} to name the layer that the bounds should read", choice_.words.features);
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
  constexpr std::size_t most_listed = 40;
  if (producers_.contains(name) && !is_constant(name)) return name;
  std::string known;
  std::size_t count = 0;
  for (int i = 0; i < model_->graph().node_size(); ++i) {
    const onnx::NodeProto& node = model_->graph().node(i);
    if (is_constant(node.output(0))) continue;
    if (node.name() == name && !name.empty()) return node.output(0);
    if (++count <= most_listed)
      known += fmt::format("{}{}", known.empty() ? "" : ", ", node.name().empty() ? node.output(0) : node.name());
  }
  if (count > most_listed) known += fmt::format(" and {} more", count - most_listed);
  refuse(fmt::format("there is no layer '{}'; the layers are {}", name, known));
}

std::string OnnxProgram::features() const {
  return choice_.features.empty() ? last_hidden() : value_named(choice_.features);
}

}  // namespace nomu
