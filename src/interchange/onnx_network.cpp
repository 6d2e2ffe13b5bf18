#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cstring>

#include "interchange/onnx_program.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/file.hpp"
#include "nomu/interchange/attach.hpp"

namespace nomu {
namespace {

constexpr std::string_view where = "interchange/onnx";
constexpr std::size_t block_rows = 64;

std::size_t numbers_a_row(const OnnxArray& array, std::size_t rows) { return array.size() / rows; }

class EvaluatedOnnx final : public OnnxNetwork {
 public:
  EvaluatedOnnx(std::string bytes, const std::string& features) : bytes_(std::move(bytes)), program_(bytes_, {}) {
    info_ = {.input = program_.input(),
             .output = program_.output(),
             .features = features.empty() ? program_.last_hidden() : program_.value_named(features),
             .columns = program_.row_shape(),
             .opset = program_.opset()};
    // Two rows tell what comes out for each; a shape that does not follow the number of rows would betray itself.
    const std::vector<float> rows(2 * inputs(), 0.0F);
    const auto [hidden, output] = program_.run(rows, 2, info_.features);
    check_rows(output, 2, info_.output);
    check_rows(hidden, 2, info_.features);
    if (output.size() != 2)
      throw DataError(where, fmt::format("output '{}' gives {} numbers a row, it must give one: the prediction",
                                         info_.output, output.size() / 2));
    features_ = numbers_a_row(hidden, 2);
  }

  [[nodiscard]] std::size_t inputs() const override { return program_.row_size(); }
  [[nodiscard]] std::size_t features() const override { return features_; }
  [[nodiscard]] bool reads_inputs() const override { return !info_.images(); }
  [[nodiscard]] std::vector<std::int64_t> image() const override {
    return info_.columns.size() == 3 ? info_.columns : std::vector<std::int64_t>{};
  }
  [[nodiscard]] const OnnxNetworkInfo& info() const override { return info_; }
  [[nodiscard]] const std::string& file() const override { return bytes_; }

  [[nodiscard]] Evaluation evaluate(const Tensor<float>& x) const override {
    Evaluation answer{.mean = Tensor<float>(1, x.rows(), 1), .features = Tensor<float>(1, x.rows(), features_)};
    for (std::size_t first = 0; first < x.rows(); first += block_rows) {
      const std::size_t count = std::min(block_rows, x.rows() - first);
      const auto [hidden, output] =
          program_.run(x.flat().subspan(first * x.cols(), count * x.cols()), count, info_.features);
      check_rows(output, count, info_.output);
      check_rows(hidden, count, info_.features);
      if (output.size() != count || hidden.size() != count * features_)
        throw DataError(where, "the network gives another number of values for other numbers of rows");
      std::ranges::copy(output.floats, answer.mean.flat().begin() + static_cast<std::ptrdiff_t>(first));
      std::ranges::copy(hidden.floats, answer.features.flat().begin() + static_cast<std::ptrdiff_t>(first * features_));
    }
    return answer;
  }

 private:
  static void check_rows(const OnnxArray& array, std::size_t rows, const std::string& name) {
    if (array.integral || array.rank() == 0 || array.shape[0] != static_cast<std::int64_t>(rows) || array.size() == 0)
      throw DataError(where, fmt::format("'{}' is {} for {} rows; its first axis must be the rows", name,
                                         shape_text(array.shape), rows));
  }

  std::string bytes_;
  OnnxProgram program_;
  OnnxNetworkInfo info_;
  std::size_t features_ = 0;
};

}  // namespace

std::shared_ptr<const OnnxNetwork> parse_onnx(std::string bytes, std::string_view source, const std::string& features) {
  try {
    return std::make_shared<EvaluatedOnnx>(std::move(bytes), features);
  } catch (const DataError& error) {
    const std::string_view text = error.what();
    throw DataError(where, fmt::format("{}: {}", source, text.substr(text.find("] ") + 2)));
  }
}

std::shared_ptr<const OnnxNetwork> load_onnx(const std::filesystem::path& path, const std::string& features) {
  return parse_onnx(read_file(path), path.string(), features);
}

}  // namespace nomu
