#pragma once
// Parts common to every ONNX file that nomu writes: typed inputs and outputs, notes about its origin, and a pass
// through ONNX's own checker.

#include <cstddef>
#include <optional>
#include <string>

#include "nomu/interchange/attach.hpp"
#include "nomu/models/model.hpp"

namespace onnx {
class ModelProto;
class ValueInfoProto;
}  // namespace onnx

namespace nomu {

constexpr std::size_t most_network_bytes = std::size_t{1} << 30U;  ///< of a foreign file, and of its numbers

/// Describes a float value [rows][cols] with any number of rows.
void describe_rows(onnx::ValueInfoProto& value, const std::string& name, std::size_t cols);

/// Adds a note (key and text) to the file's metadata.
void add_note(onnx::ModelProto& model, const std::string& key, const std::string& text);

/// Adds the notes that every file has: method, columns, target, level and what is guaranteed at that level.
void add_model_notes(onnx::ModelProto& file, const Model& model, std::optional<double> level);

/// Adds what runtimes do not need but the checker requires: a graph name, and the type of the network's output, the
/// only one that is kept. Also removes constants from the inputs, where old files had to list them: in newer files that
/// would make them replaceable, and runtimes would compute with them differently.
void modernise(onnx::ModelProto& file, const OnnxNetworkInfo& info);

/// Whether the installed checker supports the file's versions; newer files are left to the runtime.
[[nodiscard]] bool checkable(const onnx::ModelProto& file);

/// Throws Error when ONNX's checker rejects the file, which is a bug in nomu, not a user error.
void check_onnx(const onnx::ModelProto& model);

/// The file's bytes, the same for the same model.
[[nodiscard]] std::string onnx_bytes(const onnx::ModelProto& model);

}  // namespace nomu
