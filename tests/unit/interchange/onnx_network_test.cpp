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

using testing::AllOf;
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
      {"torch_relu", 10},      {"torch_tanh", 10},         {"torch_gelu", 10},         {"torch_silu", 10},
      {"torch_residual", 12},  {"torch_batch_norm", 10},   {"torch_cnn", 8},           {"torch_layer_norm", 10},
      {"sklearn_mlp", 8},      {"sklearn_pipeline", 10},   {"torch_external", 24},     {"torch_value_mean", 24},
      {"torch_split", 12},     {"torch_output_lower", 24}, {"torch_expand", 24},       {"torch_expand_old", 24},
      {"torch_where", 24},     {"torch_zeros_old", 24},    {"torch_celu", 24},         {"torch_hardswish", 24},
      {"torch_tanh_new", 24},  {"torch_embedding", 24},    {"torch_two_inputs", 24},   {"torch_two_outputs", 24},
      {"sklearn_columns", 24}, {"sklearn_imputed", 24},    {"sklearn_polynomial", 24}, {"sklearn_frame", 24},
      {"torch_slice", 24}};
  for (const auto& [name, features] : cases) {
    const OnnxChoice choice{.features = std::string(name) == "torch_slice" ? "relu" : "",
                            .output = std::string(name) == "torch_two_outputs" ? "mean" : ""};
    const auto network = load_onnx(golden(std::string(name) + ".onnx"), choice);
    const DataSet data = make_dataset(read_table(golden(std::string(name) + ".csv")), {.target = "y"});
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
    return message_of<DataError>([&] { (void)load_onnx(golden(name), {.features = features}); });
  };
  EXPECT_THAT(
      refusal("sklearn_trees.onnx"),
      AllOf(
          HasSubstr("node 'TreeEnsembleRegressor' (ai.onnx.ml.TreeEnsembleRegressor): this operator is not supported"),
          HasSubstr("calibrate its predictions instead, with nomu.calibrate.conformal")));
  EXPECT_THAT(refusal("two_outputs.onnx"),
              HasSubstr("2 outputs ('h', 'a'); name the one that is the prediction with OnnxChoice::output"));
  EXPECT_THAT(message_of<DataError>([] { (void)load_onnx(golden("torch_relu.onnx"), {.output = "z"}); }),
              HasSubstr("there is no output 'z', only 'y'"));
  EXPECT_THAT(refusal("torch_slice.onnx"), HasSubstr("branches here; use OnnxChoice::features to name the layer"));
  EXPECT_THAT(refusal("sklearn_texts.onnx"),
              HasSubstr("input 'c' reads texts, but bounds read numbers; encode the texts"));
  EXPECT_THAT(refusal("torch_one_row.onnx"), HasSubstr("dynamic_axes={'x': {0: 'rows'}}"));
  EXPECT_THAT(refusal("torch_relu.csv"), HasSubstr("this is not an ONNX file"));
  EXPECT_THAT(refusal("torch_relu.onnx", "nothing"), HasSubstr("there is no layer 'nothing'; the layers are /0/Gemm"));
  EXPECT_THAT(message_of<DataError>([] { (void)parse_onnx("", "here.onnx"); }),
              HasSubstr("[interchange/onnx] here.onnx: the file is empty"));
}

TEST_F(OnnxNetworks, NameTheirInputs) {
  const auto embedding = load_onnx(golden("torch_embedding.onnx"));
  ASSERT_EQ(embedding->info().inputs.size(), 2U);
  EXPECT_EQ(embedding->info().inputs[0].name, "numbers");
  EXPECT_EQ(embedding->info().inputs[0].size(), 2U);
  EXPECT_TRUE(embedding->info().inputs[1].whole && embedding->info().inputs[1].columns.empty());
  EXPECT_TRUE(embedding->input_names().empty());
  EXPECT_THAT(load_onnx(golden("sklearn_frame.onnx"))->input_names(), testing::ElementsAre("c", "a", "b"));
  EXPECT_TRUE(load_onnx(golden("torch_relu.onnx"))->input_names().empty());
}

TEST_F(OnnxNetworks, RowsBetweenAndBeyondTheEntriesOfATableHaveAnAnswer) {
  const auto embedding = load_onnx(golden("torch_embedding.onnx"));
  Tensor<float> x(1, 4, 3);
  const float codes[] = {3.0F, 3.4F, 9.0F, -8.0F};
  for (std::size_t i = 0; i < 4; ++i) x(0, i, 2) = codes[i];
  const ForeignNetwork::Evaluation answer = embedding->evaluate(x);
  EXPECT_EQ(answer.mean(0, 0, 0), answer.mean(0, 1, 0)) << "rounded";
  EXPECT_EQ(answer.mean(0, 0, 0), answer.mean(0, 2, 0)) << "the nearest entry";
  EXPECT_NE(answer.mean(0, 0, 0), answer.mean(0, 3, 0));
}

/// A protobuf field of bytes.
std::string field(int number, const std::string& content) {
  std::string bytes(1, static_cast<char>(number << 3 | 2));
  for (std::size_t size = content.size(); bytes.size() == 1 || size > 0; size >>= 7U)
    bytes += static_cast<char>((size & 0x7FU) | (size > 0x7FU ? 0x80U : 0U));
  return bytes + content;
}

TEST_F(OnnxNetworks, ManySmallObjectsAreRefusedBeforeTheyTakeMemory) {
  const auto repeated = [](const std::string& one) {
    std::string all;
    while (all.size() < (std::size_t{4} << 20U)) all += one;
    return all;
  };
  const std::string nodes = repeated(field(1, ""));
  const std::string names = field(1, repeated(field(1, "")));                 // inputs of one node
  const std::string attributes = field(1, repeated(field(5, "")));            // of one node
  const std::string constants = field(1, field(5, repeated(field(10, ""))));  // of one attribute
  for (const std::string& graph :
       {nodes, names, attributes, constants, repeated(field(5, "")), repeated(field(13, ""))})
    EXPECT_THAT(message_of<DataError>([&] { (void)parse_onnx(field(7, graph), "many.onnx"); }),
                HasSubstr("many.onnx: this is not a network: 41943"));
}

TEST_F(OnnxNetworks, DamagedFilesAreRefusedOrRead) {
  for (const char* name : {"torch_cnn.onnx", "torch_expand_old.onnx", "sklearn_frame.onnx"}) {
    const std::string whole = read_file(golden(name));
    for (std::size_t cut = 1; cut < whole.size(); cut += 97) {
      try {
        (void)parse_onnx(whole.substr(0, cut), "cut.onnx");
      } catch (const DataError& error) {
        EXPECT_THAT(error.what(), HasSubstr("cut.onnx: "));
      }
    }
  }
}

}  // namespace
}  // namespace nomu
