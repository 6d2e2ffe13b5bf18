#pragma once
// Names in a foreign graph that nomu adds to: new names must not be taken, and the names of the outputs are freed.

#include <array>
#include <set>
#include <string>
#include <string_view>

namespace onnx {
class GraphProto;
}

namespace nomu {

/// The outputs of a file with attached bounds.
inline constexpr std::array<std::string_view, 5> attached_outputs{"mean", "sigma_model", "sigma_noise", "lower",
                                                                  "upper"};

/// A prefix that no name in the graph starts with.
[[nodiscard]] std::string free_prefix(const onnx::GraphProto& graph);

/// Renames the value everywhere in the graph, and in graphs inside its nodes.
void rename_value(onnx::GraphProto& graph, std::string_view from, const std::string& to);

/// Names of all values in a graph.
[[nodiscard]] std::set<std::string> value_names(const onnx::GraphProto& graph);

}  // namespace nomu
