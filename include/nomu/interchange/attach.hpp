#pragma once
/// Bounds for a network trained elsewhere: read it from an ONNX file, attach a sigma network, and write both back as
/// one ONNX file. Like interchange/onnx, an optional part of the library.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "nomu/models/foreign.hpp"
#include "nomu/models/model.hpp"

namespace nomu {

/// One input of a network.
struct OnnxInput {
  std::string name;
  std::vector<std::int64_t> columns;  ///< shape after the batch axis: [d], [channels][height][width], [] for one number
  bool whole = false;                 ///< int32 or int64; rows are rounded to whole numbers

  [[nodiscard]] std::size_t size() const;  ///< numbers per row
};

/// The network's interface, as stated in the file.
struct OnnxNetworkInfo {
  std::vector<OnnxInput> inputs;      ///< a row holds the numbers of the first, then those of the second, ...
  std::string output;                 ///< name of its output, float32 [rows] or [rows][1]
  std::string features;               ///< name of the value the sigma network reads
  std::vector<std::int64_t> columns;  ///< shape of a row: that of the only input, or the number of all columns
  std::int64_t opset = 0;
  std::size_t output_axes = 2;                      ///< number of axes of the output, including the rows
  std::vector<std::filesystem::path> weights = {};  ///< files beside the network's own that its numbers were read from

  /// Whether rows are images or signals, so that a sigma network should read features instead of every pixel.
  [[nodiscard]] bool images() const { return columns.size() > 1; }
};

/// Which parts of a network the bounds are about, and how messages spell these choices.
struct OnnxChoice {
  std::string features =
      {};  ///< node or value that the sigma network reads; empty: the input of the last layer with weights
  std::string output = {};  ///< the output that is the prediction; empty: the only one
  struct Words {
    std::string features = "OnnxChoice::features";
    std::string output = "OnnxChoice::output";
  } words = {};
  /// Once it is requested, whatever evaluates the network throws Cancelled within seconds: reading the file, which
  /// tries it, and predictions, which have no other way to be stopped. One row of a network may take a second or two.
  std::stop_token stop = {};
};

/// A network from an ONNX file, in the units of the file's input and output.
class OnnxNetwork : public ForeignNetwork {
 public:
  [[nodiscard]] virtual const OnnxNetworkInfo& info() const = 0;
  /// The bytes of the file it was read from, with all weights inside.
  [[nodiscard]] virtual const std::string& file() const = 0;
};

/// Reads a network. Throws DataError naming `source` and the node for unknown operators, inputs of text, several
/// outputs without a choice, a missing or fixed batch axis, and more than one output number per row. A network whose
/// weights are in a second file is read by its path: that file must be in the same folder.
[[nodiscard]] std::shared_ptr<const OnnxNetwork> parse_onnx(std::string bytes, std::string_view source,
                                                            const OnnxChoice& choice = {});
[[nodiscard]] std::shared_ptr<const OnnxNetwork> load_onnx(const std::filesystem::path& path,
                                                           const OnnxChoice& choice = {});

/// The original graph, unchanged, together with the bounds of a model from `fit_bounds`. Outputs, all shaped like the
/// original output: `mean` (the original's own numbers), `sigma_model`, `sigma_noise`, and unless uncalibrated `lower`
/// and `upper`; its other outputs are left out. Values inside the network that have one of these names get another.
/// Throws ConfigError for a level that the calibration does not support.
[[nodiscard]] std::string pack_attached(const OnnxNetwork& network, const Model& model,
                                        std::optional<double> level = {});
void save_attached(const OnnxNetwork& network, const Model& model, const std::filesystem::path& path,
                   std::optional<double> level = {});

}  // namespace nomu
