#pragma once
// What every ONNX file of ours has: typed inputs and outputs, notes about its origin, and the approval of ONNX's own
// checker.

#include <cstddef>
#include <optional>
#include <set>
#include <string>

#include "nomu/models/model.hpp"

namespace onnx {
class GraphProto;
class ModelProto;
class ValueInfoProto;
}  // namespace onnx

namespace nomu {

/// A float value [rows][cols], rows being any number.
void describe_rows(onnx::ValueInfoProto& value, const std::string& name, std::size_t cols);

/// A key and its text among the notes of the file.
void add_note(onnx::ModelProto& model, const std::string& key, const std::string& text);

/// Notes that every file carries: columns, target, level and what is guaranteed at it.
void add_model_notes(onnx::ModelProto& file, const Model& model, std::optional<double> level);

/// Names of all values of a graph.
[[nodiscard]] std::set<std::string> value_names(const onnx::GraphProto& graph);

/// Adds what runtimes do without but the checker asks for: a name, the type of the only output with so many axes. And
/// takes constants out of the inputs, where old files had to list them: in newer ones that would mean that they can be
/// replaced, and runtimes would compute with them differently.
void modernise(onnx::ModelProto& file, const std::string& input, std::size_t output_axes);

/// Whether the installed checker knows the file's versions; younger files are left to whoever runs them.
[[nodiscard]] bool checkable(const onnx::ModelProto& file);

/// Throws Error where ONNX's checker objects: a fault of ours, not of the user.
void check_onnx(const onnx::ModelProto& model);

/// The file's bytes, the same for the same model.
[[nodiscard]] std::string onnx_bytes(const onnx::ModelProto& model);

}  // namespace nomu
