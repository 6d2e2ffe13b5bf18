#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cstring>

#include "interchange/foreign/onnx_external.hpp"
#include "interchange/foreign/onnx_program.hpp"
#include "interchange/onnx_file.hpp"
#include "interchange/onnx_names.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/file.hpp"
#include "nomu/core/random.hpp"
#include "nomu/interchange/attach.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "interchange/onnx";
constexpr std::size_t most_rows = 64;
constexpr std::size_t largest_block = std::size_t{1} << 25U;  // numbers in memory at once
// Multiplications between two looks at a request to stop: about two seconds.
constexpr double longest_block = 2e9;

/// Values inside a network can be renamed, but its inputs are how programs call it.
void check_names(const std::vector<OnnxInput>& inputs) {
  for (const OnnxInput& input : inputs) {
    if (std::ranges::find(attached_outputs, input.name) != attached_outputs.end())
      throw DataError(where,
                      fmt::format("an input of the network is called '{0}', like an output of the file with bounds; "
                                  "export it under another name (in PyTorch: input_names=['{0}_in'])",
                                  input.name));
  }
}

class EvaluatedOnnx final : public OnnxNetwork {
 public:
  EvaluatedOnnx(WholeNetwork network, const OnnxChoice& choice)
      : bytes_(std::move(network.bytes)), program_(bytes_, {}, choice) {
    info_ = {.inputs = program_.inputs(),
             .output = program_.output(),
             .features = program_.features(),
             .columns = program_.row_shape(),
             .opset = program_.opset(),
             .weights = std::move(network.weights)};
    check_names(info_.inputs);
    probe();
    check_file();
  }

  [[nodiscard]] std::size_t inputs() const override { return program_.row_size(); }
  [[nodiscard]] std::size_t features() const override { return features_; }
  [[nodiscard]] bool reads_inputs() const override { return !info_.images(); }
  [[nodiscard]] std::vector<std::int64_t> image() const override {
    return info_.columns.size() == 3 ? info_.columns : std::vector<std::int64_t>{};
  }
  [[nodiscard]] std::vector<std::string> input_names() const override {
    std::vector<std::string> names;
    for (const OnnxInput& input : info_.inputs) {
      if (info_.inputs.size() > 1 && input.size() == 1) names.push_back(input.name);
    }
    return names.size() == inputs() ? names : std::vector<std::string>{};
  }
  [[nodiscard]] const OnnxNetworkInfo& info() const override { return info_; }
  [[nodiscard]] const std::string& file() const override { return bytes_; }

  [[nodiscard]] Evaluation evaluate(const Tensor<float>& x) const override { return evaluate_until({}, x); }
  [[nodiscard]] Evaluation evaluate_until(const std::stop_token& stop, const Tensor<float>& x) const override {
    Evaluation answer{.mean = Tensor<float>(1, x.rows(), 1), .features = Tensor<float>(1, x.rows(), features_)};
    for (std::size_t first = 0; first < x.rows(); first += block_rows_) {
      const std::size_t count = std::min(block_rows_, x.rows() - first);
      const auto [hidden, output, peak, work] =
          program_.run(x.flat().subspan(first * x.cols(), count * x.cols()), count, info_.features, stop);
      check_rows(output, count, info_.output);
      check_rows(hidden, count, info_.features);
      if (output.size() != count || hidden.size() != count * features_)
        throw DataError(where, "the number of values per row depends on the number of rows");
      std::ranges::copy(output.floats, answer.mean.flat().begin() + static_cast<std::ptrdiff_t>(first));
      std::ranges::copy(hidden.floats, answer.features.flat().begin() + static_cast<std::ptrdiff_t>(first * features_));
    }
    return answer;
  }

 private:
  /// Evaluates two rows. This detects shapes that do not follow the number of rows, and networks whose output for a row
  /// depends on the other rows of a batch, for which bounds would mean nothing.
  void probe() {
    const std::vector<float> rows = probe_rows();
    const OnnxProgram::Values both = program_.run(rows, 2, info_.features);
    check_rows(both.output, 2, info_.output);
    check_rows(both.value, 2, info_.features);
    if (both.output.size() != 2)
      throw DataError(where, fmt::format("output '{}' gives {} numbers per row, but it must give one, the prediction; "
                                         "export a network that returns that column alone",
                                         info_.output, both.output.size() / 2));
    features_ = both.value.size() / 2;
    info_.output_axes = both.output.rank();
    const std::size_t fit = largest_block / std::max<std::size_t>(both.peak / 2, 1);
    const auto done_soon = static_cast<std::size_t>(longest_block / std::max(both.work / 2, 1.0));
    block_rows_ = std::clamp<std::size_t>(std::min(fit, done_soon), 1, most_rows);
    for (std::size_t i = 0; i < 2; ++i) {
      const OnnxProgram::Values one = program_.run(std::span(rows).subspan(i * inputs(), inputs()), 1, info_.features);
      if (!same(one.output, both.output, i) || !same(one.value, both.value, i))
        throw DataError(where, "the network's output for a row depends on other rows; rows must not be mixed");
    }
  }

  /// Two rows of random numbers. Whole numbers are 0 and 1, which any table of entries has.
  [[nodiscard]] std::vector<float> probe_rows() const {
    Random random(1);
    std::vector<float> rows;
    for (const float whole : {0.0F, 1.0F}) {
      for (const OnnxInput& input : info_.inputs) {
        for (std::size_t j = 0; j < input.size(); ++j)
          rows.push_back(input.whole ? whole : static_cast<float>(random.uniform(-1.0, 1.0)));
      }
    }
    return rows;
  }

  /// Runs ONNX's checker before the bounds are trained rather than after.
  void check_file() const {
    onnx::ModelProto file = program_.model();
    modernise(file, info_);
    try {
      if (checkable(file)) check_onnx(file);
    } catch (const Error& error) {
      throw DataError(where, error.what());
    }
  }

  /// Whether the array of one row is row i of the array of two, bit for bit.
  static bool same(const OnnxArray& one, const OnnxArray& both, std::size_t i) {
    const std::size_t size = both.size() / 2;
    return one.floats.size() == size &&
           std::memcmp(one.floats.data(), both.floats.data() + i * size, size * sizeof(float)) == 0;
  }

  static void check_rows(const OnnxArray& array, std::size_t rows, const std::string& name) {
    if (array.integral || array.rank() == 0 || array.shape[0] != static_cast<std::int64_t>(rows) || array.size() == 0)
      throw DataError(where, fmt::format("'{}' has shape {} for {} rows; its first axis must be the rows", name,
                                         shape_text(array.shape), rows));
  }

  std::string bytes_;
  OnnxProgram program_;
  OnnxNetworkInfo info_;
  std::size_t features_ = 0;
  std::size_t block_rows_ = 1;  ///< rows evaluated at once; fewer if layers are wide
};

/// Puts the name of the file in front of what is wrong with it.
template <class Read>
std::shared_ptr<const OnnxNetwork> naming(std::string_view source, const Read& read) {
  try {
    return read();
  } catch (const DataError& error) {
    throw DataError(where, fmt::format("{}: {}", source, error.message()));
  }
}

}  // namespace

std::shared_ptr<const OnnxNetwork> parse_onnx(std::string bytes, std::string_view source, const OnnxChoice& choice) {
  return naming(source, [&] { return std::make_shared<EvaluatedOnnx>(WholeNetwork{std::move(bytes)}, choice); });
}

std::shared_ptr<const OnnxNetwork> load_onnx(const std::filesystem::path& path, const OnnxChoice& choice) {
  std::string bytes = read_file(path, {.most = most_network_bytes});
  return naming(path.string(), [&] {
    return std::make_shared<EvaluatedOnnx>(with_external_data(std::move(bytes), path.parent_path()), choice);
  });
}

}  // namespace nomu
