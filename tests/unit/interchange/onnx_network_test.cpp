#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "message_of.hpp"
#include "nomu/core/error.hpp"
#include "nomu/core/file.hpp"
#include "nomu/data/dataset.hpp"
#include "nomu/interchange/attach.hpp"
#include "nomu/interchange/onnx.hpp"

namespace nomu {
namespace {

using testing::HasSubstr;

std::filesystem::path golden(const std::string& name) { return std::filesystem::path(NOMU_GOLDEN_DIR) / "onnx" / name; }

class OnnxNetworks : public testing::Test {
 protected:
  void SetUp() override {
    if (!onnx_available()) GTEST_SKIP() << "built without ONNX";
  }
};

Tensor<float> rows_of(const DataSet& data) {
  Tensor<float> x(1, data.rows(), data.cols());
  std::ranges::transform(data.inputs, x.flat().begin(), [](double v) { return static_cast<float>(v); });
  return x;
}

TEST_F(OnnxNetworks, AgreeWithOnnxRuntime) {
  const std::pair<const char*, std::size_t> cases[] = {
      {"torch_relu", 10},     {"torch_tanh", 10},       {"torch_gelu", 10}, {"torch_silu", 10},
      {"torch_residual", 12}, {"torch_batch_norm", 10}, {"torch_cnn", 8},   {"torch_layer_norm", 10},
      {"sklearn_mlp", 8},     {"sklearn_pipeline", 10}};
  for (const auto& [name, features] : cases) {
    const auto network = load_onnx(golden(std::string(name) + ".onnx"));
    const DataSet data = read_dataset(golden(std::string(name) + ".csv"), {.target = "y"});
    ASSERT_EQ(network->inputs(), data.cols()) << name;
    EXPECT_EQ(network->features(), features) << name;
    EXPECT_EQ(network->info().images(), std::string(name) == "torch_cnn");
    const ForeignNetwork::Evaluation answer = network->evaluate(rows_of(data));
    for (std::size_t i = 0; i < data.rows(); ++i)
      EXPECT_NEAR(answer.mean(0, i, 0), data.targets[i], 1e-6 * (1.0 + std::abs(data.targets[i]))) << name << " " << i;
  }
}

TEST_F(OnnxNetworks, ARowDoesNotDependOnItsNeighbours) {
  const auto network = load_onnx(golden("torch_gelu.onnx"));
  Tensor<float> many(1, 150, 2);
  for (std::size_t e = 0; e < many.size(); ++e) many.flat()[e] = std::sin(static_cast<float>(e));
  const ForeignNetwork::Evaluation together = network->evaluate(many);
  for (const std::size_t i : {0U, 63U, 64U, 149U}) {
    Tensor<float> one(1, 1, 2);
    std::ranges::copy(many.row(0, i), one.flat().begin());
    const ForeignNetwork::Evaluation alone = network->evaluate(one);
    EXPECT_EQ(alone.mean(0, 0, 0), together.mean(0, i, 0));
    EXPECT_TRUE(std::ranges::equal(alone.features.row(0, 0), together.features.row(0, i)));
  }
}

TEST_F(OnnxNetworks, SayWhatIsWrong) {
  const auto refusal = [](const std::string& name, const std::string& features = {}) {
    return message_of<DataError>([&] { (void)load_onnx(golden(name), features); });
  };
  EXPECT_THAT(
      refusal("sklearn_trees.onnx"),
      HasSubstr("node 'TreeEnsembleRegressor' (ai.onnx.ml.TreeEnsembleRegressor): this operator is not supported"));
  EXPECT_THAT(refusal("two_outputs.onnx"), HasSubstr("2 outputs ('h', 'a'), but it must have one"));
  EXPECT_THAT(refusal("torch_one_row.onnx"), HasSubstr("dynamic_axes={'x': {0: 'rows'}}"));
  EXPECT_THAT(refusal("torch_relu.csv"), HasSubstr("this is not an ONNX file"));
  EXPECT_THAT(refusal("torch_relu.onnx", "nothing"), HasSubstr("there is no layer 'nothing'; the layers are /0/Gemm"));
  EXPECT_THAT(message_of<DataError>([] { (void)parse_onnx("", "here.onnx"); }),
              HasSubstr("[interchange/onnx] here.onnx: the file is empty"));
}

TEST_F(OnnxNetworks, DamagedFilesAreRefusedOrRead) {
  const std::string whole = read_file(golden("torch_cnn.onnx"));
  for (std::size_t cut = 1; cut < whole.size(); cut += 97) {
    try {
      (void)parse_onnx(whole.substr(0, cut), "cut.onnx");
    } catch (const DataError& error) {
      EXPECT_THAT(error.what(), HasSubstr("cut.onnx: "));
    }
  }
}

}  // namespace
}  // namespace nomu
