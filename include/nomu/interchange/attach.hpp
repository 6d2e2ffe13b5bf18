#pragma once
/// Bounds for a network trained elsewhere: read it from an ONNX file, attach a sigma network, and write both back as
/// one ONNX file. Like interchange/onnx, an optional part of the library.

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

/// The network's interface, as stated in the file.
struct OnnxNetworkInfo {
  std::string input;                  ///< name of its input, float32
  std::string output;                 ///< name of its output, float32 [rows] or [rows][1]
  std::string features;               ///< name of the value the sigma network reads
  std::vector<std::int64_t> columns;  ///< shape of the input after the batch axis: [d], or channels, height, width
  std::int64_t opset = 0;
  std::size_t output_axes = 2;  ///< number of axes of the output, including the rows

  /// Whether rows are images or signals, so that a sigma network should read features instead of every pixel.
  [[nodiscard]] bool images() const { return columns.size() > 1; }
};

/// A network from an ONNX file, in the units of the file's input and output.
class OnnxNetwork : public ForeignNetwork {
 public:
  [[nodiscard]] virtual const OnnxNetworkInfo& info() const = 0;
  /// The bytes of the file it was read from.
  [[nodiscard]] virtual const std::string& file() const = 0;
};

/// Reads a network. `features` names the node or value that the sigma network reads; empty: the input of the last layer
/// with weights. Throws DataError naming `source` and the node for unknown operators, several inputs or outputs, a
/// missing or fixed batch axis, and more than one output number per row.
[[nodiscard]] std::shared_ptr<const OnnxNetwork> parse_onnx(std::string bytes, std::string_view source,
                                                            const std::string& features = {});
[[nodiscard]] std::shared_ptr<const OnnxNetwork> load_onnx(const std::filesystem::path& path,
                                                           const std::string& features = {});

/// The original graph, unchanged, together with the bounds of a model from `fit_bounds`. Outputs, all shaped like the
/// original output: `mean` (the original's own numbers), `sigma_model`, `sigma_noise`, and unless uncalibrated `lower`
/// and `upper`. Throws ConfigError for a level that the calibration does not support, DataError when the network
/// already uses one of these names.
[[nodiscard]] std::string pack_attached(const OnnxNetwork& network, const Model& model,
                                        std::optional<double> level = {});
void save_attached(const OnnxNetwork& network, const Model& model, const std::filesystem::path& path,
                   std::optional<double> level = {});

}  // namespace nomu
