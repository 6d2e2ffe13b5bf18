#include "interchange/onnx_names.hpp"

#include <onnx/onnx_pb.h>

#include <algorithm>

namespace nomu {

std::set<std::string> value_names(const onnx::GraphProto& graph) {
  std::set<std::string> names;
  for (const onnx::ValueInfoProto& input : graph.input()) names.insert(input.name());
  for (const onnx::TensorProto& tensor : graph.initializer()) names.insert(tensor.name());
  for (const onnx::NodeProto& node : graph.node()) names.insert(node.output().begin(), node.output().end());
  return names;
}

std::string free_prefix(const onnx::GraphProto& graph) {
  std::set<std::string> names = value_names(graph);
  for (const onnx::NodeProto& node : graph.node()) names.insert(node.name());
  std::string prefix = "nomu_";
  while (std::ranges::any_of(names, [&](const std::string& name) { return name.starts_with(prefix); })) prefix += "_";
  return prefix;
}

void rename_value(onnx::GraphProto& graph, std::string_view from, const std::string& to) {
  const auto rename = [&](std::string& name) {
    if (name == from) name = to;
  };
  const auto rename_all = [&](auto& list) {
    for (auto& item : list) rename(*item.mutable_name());
  };
  rename_all(*graph.mutable_input());
  rename_all(*graph.mutable_output());
  rename_all(*graph.mutable_value_info());
  rename_all(*graph.mutable_initializer());
  for (onnx::TensorAnnotation& note : *graph.mutable_quantization_annotation()) rename(*note.mutable_tensor_name());
  for (onnx::NodeProto& node : *graph.mutable_node()) {
    for (std::string& name : *node.mutable_input()) rename(name);
    for (std::string& name : *node.mutable_output()) rename(name);
    for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) rename_value(*attribute.mutable_g(), from, to);
      for (onnx::GraphProto& inner : *attribute.mutable_graphs()) rename_value(inner, from, to);
    }
  }
}

}  // namespace nomu
