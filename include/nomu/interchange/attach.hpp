#pragma once
/// Bounds for a network that others trained: read from an ONNX file, given a sigma network beside it, and written back
/// as one ONNX file. An optional part of the library, as interchange/onnx is.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nomu/models/foreign.hpp"
#include "nomu/models/model.hpp"

namespace nomu {

/// What a file says about its network.
struct OnnxNetworkInfo {
  std::string input;                  ///< name of its input, float32
  std::string output;                 ///< name of its output, float32 [rows] or [rows][1]
  std::string features;               ///< name of the value the bounds read
  std::vector<std::int64_t> columns;  ///< axes of the input behind the batch: [d], or channels, height, width
  std::int64_t opset = 0;
  std::size_t output_axes = 2;  ///< of its output, the rows among them

  /// Rows are images or signals; a sigma network reads their features and not every pixel.
  [[nodiscard]] bool images() const { return columns.size() > 1; }
};

/// A network from an ONNX file, in the units of the file's input and output.
class OnnxNetwork : public ForeignNetwork {
 public:
  [[nodiscard]] virtual const OnnxNetworkInfo& info() const = 0;
  /// The bytes it was read from.
  [[nodiscard]] virtual const std::string& file() const = 0;
};

/// Reads a network. `features` names the node or value the bounds read; empty: what the last layer with weights reads.
/// Throws DataError naming `source` and the node: operators that are not known, several inputs or outputs, a missing or
/// fixed batch axis, more than one number a row.
[[nodiscard]] std::shared_ptr<const OnnxNetwork> parse_onnx(std::string bytes, std::string_view source,
                                                            const std::string& features = {});
[[nodiscard]] std::shared_ptr<const OnnxNetwork> load_onnx(const std::filesystem::path& path,
                                                           const std::string& features = {});

/// The original graph, untouched, and the bounds of a model from `fit_bounds` beside it: outputs `mean` (the original's
/// own numbers), `sigma_model`, `sigma_noise`, and unless uncalibrated `lower` and `upper`, all shaped as the original
/// output. Throws ConfigError for a level that the calibration cannot vouch for, DataError where the network has values
/// of these names already.
[[nodiscard]] std::string pack_attached(const OnnxNetwork& network, const Model& model,
                                        std::optional<double> level = {});
void save_attached(const OnnxNetwork& network, const Model& model, const std::filesystem::path& path,
                   std::optional<double> level = {});

}  // namespace nomu
